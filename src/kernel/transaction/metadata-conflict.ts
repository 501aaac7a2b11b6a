/** Which changes of metadata a concurrent commit can live with. */
import { printJson } from '../../support/index.ts'
import type { Metadata } from '../actions/actions.ts'
import { property } from '../properties/index.ts'

/** Switches that change nothing about files already written: property → the value it may be turned to. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ['delta.enableDeletionVectors', /^true$/i],
  ['delta.enableInCommitTimestamps', /^true$/i],
  ['delta.inCommitTimestampEnablementVersion', /^\d+$/],
  ['delta.inCommitTimestampEnablementTimestamp', /^\d+$/],
  ['delta.checkpointPolicy', /^v2$/i],
  ['delta.enableRowTracking', /^true$/i],
  ['delta.rowTracking.materializedRowIdColumnName', /./],
  ['delta.rowTracking.materializedRowCommitVersionColumnName', /./],
])

/** Whether only such switches were turned on and all else is as before. */
export function isHarmlessMetadataChange(before: Metadata, after: Metadata): boolean {
  if (identity(before) !== identity(after)) return false
  const keys = new Set([...before.configuration.keys(), ...after.configuration.keys()])
  for (const key of keys) {
    const value = after.configuration.get(key)
    if (value === before.configuration.get(key)) continue
    if (value === undefined || HARMLESS.get(key)?.test(value) !== true) return false
  }
  return true
}

/** Whether rows that are moved bring their ids along from here on, and did not before. */
export function beginsToTrackRows(before: Metadata, after: Metadata): boolean {
  const tracks = ({ configuration }: Metadata) => property(configuration, 'enableRowTracking')
  return tracks(after) && !tracks(before)
}

/** All that is not configuration, as one text. */
function identity(metadata: Metadata): string {
  const { configuration: _, format, extra = {}, ...rest } = metadata
  return printJson({ ...rest, provider: format.provider, options: [...format.options].flat(), extra })
}
