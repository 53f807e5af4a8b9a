/** What an operator's record may contain, wherever it comes from (specification 3.2). */
import { z } from 'zod'
import { certificateRule, parseCertificateName } from '../model/certificate.ts'
import { strictObject } from './schema.ts'

const storable = (text: string) => text.isWellFormed() && !text.includes('\0')
const noStorable = 'must not contain NUL characters or halves of surrogate pairs'

export const operatorEmail = strictObject({
  type: z.string().regex(/^[A-Za-z]{1,30}$/, 'must be 1 to 30 letters'),
  address: z
    .string()
    .max(254)
    .regex(/^\S+@\S+$/, 'must be an e-mail address')
    .refine(storable, noStorable),
  isPrimary: z.boolean(),
}).unwrap()

/** The schema of an operator's addresses. @param address the schema of one: that of the API has a name */
export const emailsSchema = (address: typeof operatorEmail) =>
  z
    .array(address)
    .max(50)
    .refine(
      (all) => all.length === 0 || all.filter(({ isPrimary }) => isPrimary).length === 1,
      'must have one primary address',
    )
    .refine(
      (all) => new Set(all.map(({ type, address }) => `${type} ${address}`)).size === all.length,
      'contains an address twice',
    )

export const certificates = z
  .array(z.string().max(1000))
  .max(50)
  .superRefine((all, context) => {
    for (const [at, text] of all.entries())
      if (parseCertificateName(text) === undefined)
        context.addIssue({ code: 'custom', message: certificateRule, path: [at] })
  })
  .transform((all) => all.flatMap((text) => parseCertificateName(text) ?? []))

export const description = z.string().max(1000).refine(storable, noStorable)
