/**
 * Drafts as rows (specification 18.20): a draft is its base and its edits, one row for each item, so that two
 * administrators conflict only on the same item.
 */
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import type { Draft, DraftEdit, DraftStore } from './contract.ts'

export function openDrafts(database: Database): DraftStore {
  const { reader } = database
  const editsOf = (id: string) => reader.selectFrom('ig_draft_edit').selectAll().where('draft', '=', id)
  return {
    async list() {
      const rows = reader.selectFrom('ig_draft').selectAll().orderBy('changed', 'desc').orderBy('id')
      return (await rows.execute()).map(toDraft)
    },
    async find(id) {
      const row = await reader.selectFrom('ig_draft').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toDraft(row)
    },
    add: (draft, { by, time }) =>
      inTransaction(database, async (transaction) => {
        const made = { created: time, created_by: by, changed: time, changed_by: by }
        await transaction
          .insertInto('ig_draft')
          .values({ ...draft, ...made, version: 1 })
          .execute()
        return true as const
      }),
    async edits(id, list) {
      const rows = list === undefined ? editsOf(id) : editsOf(id).where('list', '=', list)
      return (await rows.orderBy('version').execute()).map(toEdit)
    },
    async findEdit(id, list, item) {
      const row = await editsOf(id).where('list', '=', list).where('item', '=', item).executeTakeFirst()
      return row && toEdit(row)
    },
    edit: ({ id, base }, { list, item, value }, expectedVersion, { by, time }) =>
      inTransaction(database, async (transaction) => {
        const changed = await transaction // its row is locked from here
          .updateTable('ig_draft')
          .set((expression) => ({ version: expression('version', '+', 1), changed: time, changed_by: by }))
          .where('id', '=', id)
          .where('base', '=', base)
          .returning('version')
          .executeTakeFirst()
        if (!changed) return undefined
        const place = { draft: id, list, item }
        const earlier = await transaction
          .selectFrom('ig_draft_edit')
          .select('version')
          .where('draft', '=', id)
          .where('list', '=', list)
          .where('item', '=', item)
          .executeTakeFirst()
        if ((earlier?.version ?? 0) !== expectedVersion) throw new EditOvertaken()
        await transaction
          .deleteFrom('ig_draft_edit')
          .where('draft', '=', id)
          .where('list', '=', list)
          .where('item', '=', item)
          .execute()
        if (value !== undefined)
          await transaction
            .insertInto('ig_draft_edit')
            .values({ ...place, value, version: changed.version })
            .execute()
        return changed.version
      }).catch(asNothing),
    change: ({ id, version }, values, { by, time }) =>
      inTransaction(database, async (transaction) => {
        const update = transaction
          .updateTable('ig_draft')
          .set({ ...values, version: version + 1, changed: time, changed_by: by })
          .where('id', '=', id)
          .where('version', '=', version)
        return (await update.executeTakeFirst()).numUpdatedRows > 0n
      }),
    remove: (id, expectedVersion) =>
      inTransaction(database, async (transaction) => {
        let found = transaction.updateTable('ig_draft').set({ version: 0 }).where('id', '=', id)
        if (expectedVersion !== undefined) found = found.where('version', '=', expectedVersion)
        if ((await found.executeTakeFirst()).numUpdatedRows === 0n) return false
        await transaction.deleteFrom('ig_draft_edit').where('draft', '=', id).execute()
        await transaction.deleteFrom('ig_draft').where('id', '=', id).execute()
        return true
      }),
  }
}

/** Another person edited the item: the transaction is rolled back, and the draft keeps its version. */
class EditOvertaken extends Error {}

function asNothing(error: unknown): undefined {
  if (error instanceof EditOvertaken) return undefined
  throw error
}

function toDraft({ created_by: createdBy, changed_by: changedBy, ...rest }: Tables['ig_draft']): Draft {
  return { ...rest, createdBy, changedBy }
}

function toEdit({ list, item, value, version }: Tables['ig_draft_edit']): DraftEdit {
  return { list: list as DraftEdit['list'], item, value, version }
}
