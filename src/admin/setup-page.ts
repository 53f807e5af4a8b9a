/** The page that the one-time link opens: the secret stands behind the #, and only this page's script reads it (specification 18.5). */

export const setupPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>First administrator</title>
<link rel="stylesheet" href="/style.css">
<script src="/setup.js" defer></script>
</head>
<body>
<main class="narrow">
<h1>First administrator</h1>
<p>The link that brought you here works once. Choose the name and the password to administer this gateway with.</p>
<form>
<label>Name <input name="name" autocomplete="username" maxlength="60" required></label>
<label>Password, at least 12 characters <input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<label>Password again <input name="again" type="password" autocomplete="new-password" minlength="12" required></label>
<button>Make the administrator</button>
</form>
<p role="status"></p>
</main>
</body>
</html>
`

export const setupScript = `'use strict'
const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
const token = location.hash.slice(1)
history.replaceState(null, '', '/setup')
if (token === '') status.textContent = 'This page works only with the whole link that the gateway printed.'
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { name, password, again } = Object.fromEntries(new FormData(form))
  if (password !== again) return void (status.textContent = 'The two passwords differ.')
  status.textContent = 'One moment…'
  try {
    const response = await fetch('/api/invitation', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, name, password }),
    })
    if (response.ok) {
      location.assign('/') // signed in
      return
    }
    const { detail, problems = [] } = await response.json()
    status.textContent = [detail, ...problems.map(({ path, message }) => path + ' ' + message)].join(' ')
  } catch {
    status.textContent = 'The gateway does not answer. Try again.'
  }
})
`

export const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem}
main.narrow{max-width:26rem;margin:3rem auto}label{display:block;margin:1rem 0}
input,button{display:block;box-sizing:border-box;width:100%;font:inherit;padding:.5rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
details{border-bottom:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4.5rem}
summary span{margin-left:1rem;opacity:.75}
code,pre{font-family:ui-monospace,monospace;font-size:13px}pre{background:var(--soft);padding:.6rem;overflow:auto;margin:.3rem 0}
table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top}h3,h4{margin:.8rem 0 .2rem;font-size:1em}
`
