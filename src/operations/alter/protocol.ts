/** Features and protocol versions asked for by name. The protocol never becomes lower. */
import { deltaError } from '../../errors/index.ts'
import { featuresOf, impliedFeatures } from '../../kernel/index.ts'
import { jsonText } from './parameters.ts'
import type { PlanAction } from './plan.ts'
import { planSetProperties } from './set-properties.ts'

/**
 * Lists a feature, as setting `delta.feature.<name>` does.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`, `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export const planAddFeature: PlanAction<'add feature'> = ({ feature }, snapshot, context) => {
  const properties = new Map([[`delta.feature.${feature}`, 'supported']])
  return planSetProperties({ kind: 'set properties', properties }, snapshot, context)
}

/**
 * Asks for the features that protocol versions imply; versions that imply none ask for nothing.
 *
 * @throws DeltaError `DELTA_INVALID_PROTOCOL_DOWNGRADE`
 */
export const planUpgradeProtocol: PlanAction<'upgrade protocol'> = (versions, snapshot) => {
  const features = [...impliedFeatures(versions)]
  const known = featuresOf(snapshot.protocol)
  const added = features.filter((name) => !known.has(name))
  if (added.length === 0) return undefined
  const lost = [...known].filter((name) => !features.includes(name))
  if (lost.length > 0) {
    const { minReaderVersion: reader, minWriterVersion: writer } = versions
    throw deltaError('DELTA_INVALID_PROTOCOL_DOWNGRADE', {
      path: snapshot.store.location,
      reader,
      writer,
      features: lost,
    })
  }
  return {
    operation: 'UPGRADE PROTOCOL',
    operationParameters: ({ minReaderVersion, minWriterVersion, readerFeatures, writerFeatures }) => ({
      newProtocol: jsonText({
        minReaderVersion,
        minWriterVersion,
        readerFeatures: readerFeatures ?? null,
        writerFeatures: writerFeatures ?? null,
      }),
    }),
    features,
  }
}
