/** The one-time link of the first administrator (specification 18.5). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { adminUrl } from '../admin-url.ts'
import { invite } from '../invitation.ts'

/** Offered by `ig` only: anyone who may call the API is already an administrator. */
export const inviteActions = [
  action({
    operationId: 'inviteAdministrator',
    done: 'Created a link for the first administrator',
    tag: 'Administrators',
    summary: 'Create a one-time link for the first administrator',
    description:
      'It is valid for a day and replaces the previous link. Once there is an administrator, there is no link.',
    method: 'POST',
    path: '/api/invitations',
    access: 'administrator',
    commandLine: {
      verb: 'administrator invite',
      file: 'link',
      isSecret: true,
      says: () => 'The link works once and expires in a day.',
    },
    needsSession: true,
    answer: z.object({ link: z.string() }),
    async handle({ parts, audited }) {
      const { admin } = parts.settings
      if (!admin) throw new AdminProblem('conflict', 'Administration is off (ig.admin.port=off). Set a port to use it.')
      if (admin.port === 0)
        throw new AdminProblem('conflict', 'ig.admin.port is 0, so the link would have no port. Set a fixed port.')
      const url = adminUrl(admin, admin.port)
      return { body: { link: await invite(audited({ subject: 'the first administrator' }), url, parts.now()) } }
    },
  }),
]
