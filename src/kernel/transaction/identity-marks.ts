/** The marks of identity columns, which move with every row that gets a number. Source: Delta protocol, "Identity Columns". */
import type { StructType } from '../../schema/index.ts'

/** The key of a field's metadata that holds the last number given out. */
export const IDENTITY_MARK = 'delta.identity.highWaterMark'

/** The schema without its marks, to tell whether two schemas differ in anything else. */
export function withoutIdentityMarks(schema: StructType): StructType {
  const fields = schema.fields.map(({ metadata, ...field }) => {
    const { [IDENTITY_MARK]: _, ...rest } = metadata
    return { ...field, metadata: rest }
  })
  return { ...schema, fields }
}
