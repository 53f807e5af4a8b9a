/** Why `ig` cannot run here, told before anything is loaded that an older Node could not read. */

export const oldestNode = 24

/**
 * @param {{ version: string, isCheckout: boolean, options: string[], isInstalled?: boolean }} runtime `process.version`,
 * whether the sources are here, all options that this process was started with, and whether the dependencies are here
 * @returns {string | undefined} what to do about it
 */
export function findObstacle({ version, isCheckout, options, isInstalled = true }) {
  const major = Number(version.replace(/^v/, '').split('.')[0])
  if (!(major >= oldestNode)) {
    return [
      `ig needs Node.js ${oldestNode} or newer; this is ${version}.`,
      isCheckout
        ? 'In the checkout "npm ci" brings one along: use "npm start" and "npm run ig -- <command>".'
        : 'Install it from https://nodejs.org/en/download, or with a version manager: nvm install 24;\n' +
          'or into this project alone: npm install --save-dev node@24',
    ].join('\n')
  }
  const hasSources = options.some((option) => option.includes('integration-gateway-source'))
  if (isCheckout && !hasSources) return 'In the checkout use: npm run ig -- <command>'
  return isInstalled ? undefined : 'The dependencies are not installed: run "npm ci" first.'
}
