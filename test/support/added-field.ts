/** Run in a copy of the tree whose operations, and `createOperator`, have one more field (`test/console/added-field.test.ts`): where people see it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from './admin.ts'
import { openBrowser, openPage, signIn } from './browser.ts'
import { findDatabase } from './databases.ts'

test('the field is in the forms, in the draft and in the OpenAPI document', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { page } = await openPage(browser)
  await signIn(page, admin.url, 'an administrator')
  await page.goto(`${admin.url}/console/operations/KEY_VALUE_GET.v1?tab=other`)
  await page.getByText('How dark the answer is').waitFor()
  await page.getByRole('combobox', { name: 'Shade' }).click()
  assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['light', 'dark'])
  await page.getByRole('option', { name: 'dark' }).click()
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('saved to the draft').waitFor()

  await page.goto(`${admin.url}/console/operators`)
  await page.getByRole('button', { name: 'Add caller' }).click()
  await page.getByRole('dialog').getByText('How dark the answer is').waitFor()
  await page.getByRole('combobox', { name: 'Shade' }).click()
  assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['light', 'dark'])

  const { items } = (await ask('GET /api/drafts')).body
  const path = `/api/drafts/${items[0].id}/operations/KEY_VALUE_GET.v1`
  const { body, etag } = await ask(`GET ${path}`)
  assert.equal(body.value.shade, 'dark')
  const wrong = await ask(`PUT ${path}`, { body: { ...body.value, shade: 'drak' }, ifMatch: etag })
  assert.deepEqual(wrong.body.problems, [{ path: 'shade', message: 'must be one of light, dark; did you mean dark?' }])
  const { components } = (await ask('GET /openapi.json')).body
  const { title, description, enum: values } = components.schemas.OperationInput.properties.shade
  assert.deepEqual([title, description, values], ['Shade', 'How dark the answer is', ['light', 'dark']])
})
