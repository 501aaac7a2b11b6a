/** What rows must satisfy: append-only tables, invariants, CHECK, generated, default and identity columns. */
import { propertyIs, someField, someFieldHas } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

const writer = { kind: 'writer', needs: [], readable: true, addedByProperty: true } as const

const appendOnly: TableFeature = {
  ...writer,
  name: 'appendOnly',
  legacy: { writer: 2 },
  isActive: propertyIs('appendOnly', true),
  writable: 'yes',
}

const invariants: TableFeature = {
  ...writer,
  name: 'invariants',
  legacy: { writer: 2 },
  abortsConcurrent: true,
  isActive: someFieldHas('delta.invariants'),
  writable: 'yes',
}

const checkConstraints: TableFeature = {
  ...writer,
  name: 'checkConstraints',
  legacy: { writer: 3 },
  isActive: ({ metadata }) =>
    [...metadata.configuration.keys()].some((key) => key.toLowerCase().startsWith('delta.constraints.')),
  writable: 'yes',
}

const generatedColumns: TableFeature = {
  ...writer,
  name: 'generatedColumns',
  legacy: { writer: 4 },
  abortsConcurrent: true,
  isActive: someFieldHas('delta.generationExpression'),
  writable: 'yes',
}

const identityColumns: TableFeature = {
  ...writer,
  name: 'identityColumns',
  legacy: { writer: 6 },
  abortsConcurrent: true,
  isActive: someField(({ metadata }) => Object.keys(metadata).some((key) => key.startsWith('delta.identity.'))),
  writable: 'yes',
}

const allowColumnDefaults: TableFeature = {
  ...writer,
  name: 'allowColumnDefaults',
  abortsConcurrent: true,
  isActive: someFieldHas('CURRENT_DEFAULT'),
  writable: 'yes',
  addedByProperty: false,
}

export const constraintFeatures: readonly TableFeature[] = [
  appendOnly,
  invariants,
  checkConstraints,
  generatedColumns,
  identityColumns,
  allowColumnDefaults,
]
