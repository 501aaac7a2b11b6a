/** The ways in which a table makes use of a feature. */
import type { DataType, StructField } from '../../schema/index.ts'
import { type PropertyName, property } from '../properties/index.ts'
import type { FeatureTable } from './table-feature.ts'

type Condition = (table: FeatureTable) => boolean

/** A property has a value. */
export function propertyIs(name: PropertyName, value: unknown): Condition {
  return ({ metadata }) => property(metadata.configuration, name) === value
}

/** Some field, at any depth, satisfies the test. */
export function someField(test: (field: StructField) => boolean): Condition {
  const inType = (type: DataType): boolean => {
    if (type.kind === 'struct') return type.fields.some((field) => test(field) || inType(field.type))
    if (type.kind === 'array') return inType(type.element)
    return type.kind === 'map' && (inType(type.key) || inType(type.value))
  }
  return ({ schema }) => inType(schema)
}

/** Some field has a metadata key. */
export function someFieldHas(key: string): Condition {
  return someField(({ metadata }) => metadata[key] !== undefined && metadata[key] !== null)
}

/** Some type of the schema, at any depth, is of a kind. */
export function someTypeIs(kind: DataType['kind']): Condition {
  const inType = (type: DataType): boolean => {
    if (type.kind === kind) return true
    if (type.kind === 'struct') return type.fields.some((field) => inType(field.type))
    if (type.kind === 'array') return inType(type.element)
    return type.kind === 'map' && (inType(type.key) || inType(type.value))
  }
  return ({ schema }) => inType(schema)
}

/** A domain is set. */
export function hasDomain(domain: string): Condition {
  return ({ domains }) => domains.has(domain)
}

/** The feature acts as soon as it is listed. */
export const whenListed: Condition = () => true
