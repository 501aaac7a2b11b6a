/** Which known engines can read and write a table, by the features its protocol asks for. */
import { type KnownEngine, knownEngines, type Since } from './known-engines.ts'

export interface EngineSupport {
  readonly engine: string
  readonly reads: boolean
  readonly writes: boolean
  /** features of the table that the engine refuses */
  readonly lacks: readonly string[]
}

/** Who can read and write a table with one feature. */
export interface FeatureSupport {
  readonly feature: string
  readonly engines: readonly {
    readonly engine: string
    /** the first version that does; `never` where the version that was looked at does not, `always` where all do */
    readonly reads: Since
    readonly writes: Since
  }[]
}

/** What a table asks of those who read and write it. */
export interface AskedFeatures {
  readonly tableFeatures: readonly string[]
  /** those that this package refuses to write */
  readonly unwritableFeatures: readonly string[]
  /** those that this package refuses to read */
  readonly unreadableFeatures: readonly string[]
}

/** This package first. */
export function engineSupport({
  tableFeatures,
  unwritableFeatures,
  unreadableFeatures,
}: AskedFeatures): readonly EngineSupport[] {
  const own = {
    engine: 'bayou',
    reads: unreadableFeatures.length === 0,
    writes: unwritableFeatures.length === 0,
    lacks: unwritableFeatures,
  }
  return [own, ...knownEngines.map((engine) => supportOf(engine, tableFeatures, unreadableFeatures))]
}

/** @param unknown features that were not there when the engines were tried */
function supportOf(known: KnownEngine, features: readonly string[], unknown: readonly string[]): EngineSupport {
  const refuses = (how: 'reads' | 'writes') => (name: string) => known.features.get(name)?.[how] === 'never'
  const unread = [...unknown, ...features.filter((name) => refuses('reads')(name) && !unknown.includes(name))]
  const unwritten = features.filter((name) => refuses('writes')(name) && !unread.includes(name))
  const lacks = [...unread, ...unwritten]
  return { engine: titleOf(known), reads: unread.length === 0, writes: lacks.length === 0, lacks }
}

/** For each feature of a table, who can read and write it and from which version on. */
export function featureSupport(features: readonly string[]): readonly FeatureSupport[] {
  return features.map((feature) => ({
    feature,
    engines: knownEngines.map((known) => ({
      engine: known.name,
      ...(known.features.get(feature) ?? { reads: 'always', writes: 'always' }),
    })),
  }))
}

function titleOf({ name, version }: KnownEngine): string {
  return `${name} ${version}`
}
