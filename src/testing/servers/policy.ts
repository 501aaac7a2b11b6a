/** What a policy lets somebody do. Source: AWS, "IAM JSON policy elements reference". */
import type { AccessPolicy, PolicyStatement, ServerUser } from './signature.ts'

export interface Access {
  /** `s3:GetObject` */
  readonly action: string
  /** `arn:aws:s3:::bucket/key` */
  readonly resource: string
  /** values of condition keys: `s3:prefix` of a listing */
  readonly context?: Readonly<Record<string, string | undefined>>
}

/** Denied unless a statement allows it, and denied whatever others allow where one denies it. */
export function isAllowed(user: ServerUser | undefined, access: Access): boolean {
  const policy: AccessPolicy | undefined = user?.policy
  if (policy === undefined) return true
  const matching = policy.Statement.filter((statement) => applies(statement, access))
  return matching.some(({ Effect }) => Effect === 'Allow') && !matching.some(({ Effect }) => Effect === 'Deny')
}

function applies({ Action, Resource, Condition }: PolicyStatement, { action, resource, context }: Access): boolean {
  const conditions = Object.entries(Condition?.StringLike ?? {})
  return (
    listOf(Action).some((pattern) => isLike(action, pattern)) &&
    listOf(Resource).some((pattern) => isLike(resource, pattern)) &&
    conditions.every(([key, patterns]) => {
      const value = context?.[key]
      return value !== undefined && listOf(patterns).some((pattern) => isLike(value, pattern))
    })
  )
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

/** `*` stands for any text, `?` for one character. */
function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text)
}
