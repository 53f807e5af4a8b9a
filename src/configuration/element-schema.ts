/** An element of a document: how a value of the URL is read, and what it must be (specification 2.13, 2.15, 2.28, 2.29). */
import { z } from 'zod'
import { countDigits, normalizeDecimal } from '../base/decimal.ts'
import { primitiveTypes } from '../model/document-template.ts'
import { strictObject } from './schema.ts'

export const elementName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_]{0,59}$/,
    'is not an element name: 1 to 60 letters, digits and underscores, a letter first',
  )

const compound = 'is not supported: a document template has primitive and collection elements only, no'
export const noCompounds = {
  import: `${compound} imports (compounds). List the elements themselves`,
  imports: `${compound} imports (compounds). List the elements themselves`,
  compound: `${compound} compound elements`,
  compounds: `${compound} compound elements`,
}

const boundRule = 'must be a number, or its digits as a string: 100, "0.05"'
/** A number of more digits would not be the one that was written. */
const exactDigits = 15
const bound = z
  .union([z.number(), z.string()], { error: boundRule })
  .refine((value) => normalizeDecimal(value) !== undefined && !/e/i.test(String(value).trim()), {
    message: boundRule,
    abort: true,
  })
  .refine((value) => typeof value === 'string' || (countDigits(value) ?? 0) <= exactDigits, {
    message: `must be a string of its digits: a number keeps only ${exactDigits}`,
  })

export const element = strictObject(
  {
    description: z.string().optional(),
    type: z.enum(primitiveTypes).describe('The type as which values in the URL are read'),
    length: z.int().min(1, 'must be at least 1').optional().describe('Maximum number of characters'),
    minimum: bound.optional().describe("Minimum value of an Integer or a Decimal: `0`, or `'0.05'`"),
    maximum: bound.optional().describe('Maximum value of an Integer or a Decimal'),
    pattern: z
      .string()
      .min(1, 'must not be empty')
      .max(1000)
      .optional()
      .describe('Pattern in RE2 syntax that the whole value must match: `[A-Z]{2}[0-9]{4}`'),
    isCollection: z.boolean().default(false).describe('Takes all values of the request instead of the first'),
    isRequired: z.boolean().default(false).describe('Requests without a value are refused'),
    values: z
      .array(z.string())
      .min(1, 'must have at least one value, or be left out')
      .readonly()
      .optional()
      .describe('The only values allowed'),
    examples: z.array(z.string()).readonly().optional().describe('Decoded values, for API descriptions'),
  },
  {
    ...noCompounds,
    elements: `${compound} compound elements. Make each of these an element of its own`,
    children: `${compound} compound elements. Make each of these an element of its own`,
  },
)
