/** What rows must satisfy: append-only tables, invariants, CHECK, generated, default and identity columns. */
import { propertyIs, someField, someFieldHas } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

const writer = { kind: 'writer', needs: [], readable: true, addedByProperty: true } as const

const appendOnly: TableFeature = {
  ...writer,
  name: 'appendOnly',
  legacy: { writer: 2 },
  isActive: propertyIs('appendOnly', true),
  writable: false,
}

const invariants: TableFeature = {
  ...writer,
  name: 'invariants',
  legacy: { writer: 2 },
  isActive: someFieldHas('delta.invariants'),
  writable: false,
}

const checkConstraints: TableFeature = {
  ...writer,
  name: 'checkConstraints',
  legacy: { writer: 3 },
  isActive: ({ metadata }) =>
    [...metadata.configuration.keys()].some((key) => key.toLowerCase().startsWith('delta.constraints.')),
  writable: false,
}

const generatedColumns: TableFeature = {
  ...writer,
  name: 'generatedColumns',
  legacy: { writer: 4 },
  isActive: someFieldHas('delta.generationExpression'),
  writable: false,
}

const identityColumns: TableFeature = {
  ...writer,
  name: 'identityColumns',
  legacy: { writer: 6 },
  isActive: someField(({ metadata }) => Object.keys(metadata).some((key) => key.startsWith('delta.identity.'))),
  writable: false,
}

const allowColumnDefaults: TableFeature = {
  ...writer,
  name: 'allowColumnDefaults',
  isActive: someFieldHas('CURRENT_DEFAULT'),
  writable: false,
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
