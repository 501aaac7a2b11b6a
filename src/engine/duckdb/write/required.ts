/**
 * NOT NULL, checked while rows are written.
 *
 * Other readers take a null in a required column for 0, silently, so it must not get into a file. Required members of
 * nullable structs, lists and maps are checked where their parent is there.
 */
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import type { DataType, StructField } from '../../../schema/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import { storedFields } from '../values/sql-type.ts'

/**
 * The places where there must be no null.
 *
 * @returns for each a condition over `d<ordinal>` that is true where a row breaks the rule
 */
export function requiredTests(layout: TableLayout): readonly NullTest[] {
  const tests: NullTest[] = []
  for (const [ordinal, field] of layout.schema.fields.entries()) {
    if (field.type.kind === 'void') continue
    const text = layout.partitionColumns.includes(field.name) && field.type.kind === 'string'
    for (const { path, sql } of nulls(`d${ordinal}`, field, layout)) {
      // the empty text of a partition is written as null
      tests.push({ path, sql: text ? `(${sql} OR d${ordinal} = '')` : sql })
    }
  }
  return tests
}

export interface NullTest {
  /** dotted, as messages show it */
  readonly path: string
  /** true where the value breaks the rule */
  readonly sql: string
}

function nulls(source: string, field: StructField, layout: TableLayout, parent = ''): NullTest[] {
  const path = `${parent}${field.name}`
  const own = field.nullable ? [] : [{ path, sql: `${source} IS NULL` }]
  return [...own, ...nestedNulls(source, field.type, layout, path)]
}

function nestedNulls(source: string, type: DataType, layout: TableLayout, path: string, depth = 0): NullTest[] {
  const x = `n${depth}`
  const inItems = (items: string, tests: NullTest[]) =>
    tests.map((test) => ({ path: test.path, sql: `len(list_filter(${items}, lambda ${x}: ${test.sql})) > 0` }))
  switch (type.kind) {
    case 'struct':
      return storedFields(type).flatMap((field) =>
        nulls(`struct_extract(${source}, ${quoteLiteral(physicalName(field, layout))})`, field, layout, `${path}.`).map(
          (test) => ({ path: test.path, sql: `(${source} IS NOT NULL AND ${test.sql})` }),
        ),
      )
    case 'array':
      return inItems(source, valueNulls(x, type.element, type.containsNull, { layout, path: `${path}.element`, depth }))
    case 'map':
      return [
        ...inItems(
          `map_values(${source})`,
          valueNulls(x, type.value, type.valueContainsNull, { layout, path: `${path}.value`, depth }),
        ),
        ...inItems(`map_keys(${source})`, nestedNulls(x, type.key, layout, `${path}.key`, depth + 1)),
      ]
    default:
      return []
  }
}

function valueNulls(
  source: string,
  type: DataType,
  nullable: boolean,
  { layout, path, depth }: { layout: TableLayout; path: string; depth: number },
): NullTest[] {
  const own = nullable ? [] : [{ path, sql: `${source} IS NULL` }]
  return [...own, ...nestedNulls(source, type, layout, path, depth + 1)]
}
