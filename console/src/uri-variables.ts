/** The variables of URI templates: `{a}`, `{?a,b}`, `{&a}` and `{?list*}`, a collection. */
export interface Variable {
  readonly name: string
  readonly isCollection: boolean
}

const expression = /\{([?&]?)([^{}]*)\}/g

export function variablesOf(templates: readonly string[]): readonly Variable[] {
  const all = templates.flatMap((template) =>
    [...template.matchAll(expression)].flatMap(([, , inner = '']) => readNames(inner)),
  )
  return [...new Map(all.map((variable) => [variable.name, variable])).values()]
}

/** Percent-encodes the values; a query variable without a value is left out; the values of a collection are separated by commas. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  let hasQuery = false
  return template.replace(expression, (_, kind: string, inner: string, at: number) => {
    hasQuery ||= template.slice(0, at).replace(expression, '').includes('?')
    const given = readNames(inner).map(({ name, isCollection }) => {
      const value = values[name] ?? ''
      return { name, parts: isCollection ? value.split(',').filter((part) => part !== '') : [value] }
    })
    if (kind === '') return given.map(({ parts }) => parts.map(encodeURIComponent).join(',')).join(',')
    const pairs = given.flatMap(({ name, parts }) =>
      parts.filter((part) => part !== '').map((part) => `${name}=${encodeURIComponent(part)}`),
    )
    if (pairs.length === 0) return ''
    const start = hasQuery ? '&' : '?'
    hasQuery = true
    return start + pairs.join('&')
  })
}

function readNames(inner: string): readonly Variable[] {
  return [...inner.matchAll(/([A-Za-z]\w*)(\*?)/g)].map(([, name = '', star]) => ({ name, isCollection: star === '*' }))
}
