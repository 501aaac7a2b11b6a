/** The commands of `bayou`, in the order the help lists them. A new one is one file and one entry here. */
import type { CommandEntry } from './cli-command.ts'

export const registry: readonly CommandEntry[] = [
  {
    name: 'rows',
    summary: 'print rows of a table',
    load: async () => (await import('./commands/rows.ts')).rows,
  },
  {
    name: 'count',
    summary: 'count the rows of a table',
    load: async () => (await import('./commands/count.ts')).count,
  },
  {
    name: 'schema',
    summary: 'show columns, types, nullability and comments',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  {
    name: 'detail',
    summary: 'show what a table is: protocol, features, properties, sizes, who can read it',
    load: async () => (await import('./commands/detail.ts')).detail,
  },
  {
    name: 'history',
    summary: 'show what was done to a table, newest first',
    load: async () => (await import('./commands/history.ts')).history,
  },
  {
    name: 'log',
    summary: 'show the commits of a table, or the actions of one',
    load: async () => (await import('./commands/log.ts')).log,
  },
  {
    name: 'files',
    summary: 'list live files, and say why a predicate reads or skips each',
    load: async () => (await import('./commands/files.ts')).files,
  },
  {
    name: 'changes',
    summary: 'print the rows that changed from one version to another',
    load: async () => (await import('./commands/changes.ts')).changes,
  },
  {
    name: 'write',
    summary: 'write NDJSON, CSV or Parquet into a table',
    load: async () => (await import('./commands/write.ts')).write,
  },
  {
    name: 'sql',
    summary: 'run a query, a file of queries, or a prompt',
    load: async () => (await import('./commands/sql.ts')).sql,
  },
  {
    name: 'repo',
    summary: 'publish versions of a lake for every DuckDB to read',
    load: async () => (await import('./commands/repo.ts')).repo,
  },
  {
    name: 'explore',
    summary: 'serve a page that shows tables, on this machine',
    load: async () => (await import('./commands/explore.ts')).explore,
  },
  {
    name: 'run',
    summary: 'run a worker: sources, routes, destinations',
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'set',
    summary: 'set properties of a table',
    load: async () => (await import('./commands/set.ts')).set,
  },
  {
    name: 'unset',
    summary: 'take properties of a table away',
    load: async () => (await import('./commands/set.ts')).unset,
  },
  {
    name: 'add-feature',
    summary: 'list a table feature in the protocol',
    load: async () => (await import('./commands/add-feature.ts')).addFeature,
  },
  {
    name: 'drop-feature',
    summary: 'take a table feature out of a table, or say what that would do',
    load: async () => (await import('./commands/drop-feature.ts')).dropFeature,
  },
  {
    name: 'checkpoint',
    summary: 'write a checkpoint of the newest version',
    load: async () => (await import('./commands/checkpoint.ts')).checkpoint,
  },
  {
    name: 'optimize',
    summary: 'make larger files of small ones, sort rows',
    load: async () => (await import('./commands/optimize.ts')).optimize,
  },
  {
    name: 'vacuum',
    summary: 'delete files that no version within the retention needs',
    load: async () => (await import('./commands/vacuum.ts')).vacuum,
  },
  {
    name: 'restore',
    summary: 'bring an older version back, as a new one',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    name: 'clone',
    summary: 'make another table of one, by copying or by naming its files',
    load: async () => (await import('./commands/clone.ts')).clone,
  },
  {
    name: 'convert',
    summary: 'make a table of a folder of Parquet files',
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  {
    name: 'fsck',
    summary: 'look at log, files and statistics of a table, and put right what can be',
    load: async () => (await import('./commands/fsck.ts')).fsck,
  },
  {
    name: 'eval',
    summary: 'evaluate expressions of the predicate language',
    load: async () => (await import('./commands/eval.ts')).evaluate,
  },
  {
    name: 'check-store',
    summary: 'prove that a store keeps the promises a log needs',
    load: async () => (await import('./commands/check-store.ts')).checkStore,
  },
  {
    name: 'secrets',
    summary: 'store, list or remove credentials that configurations name',
    load: async () => (await import('./commands/secrets.ts')).secrets,
  },
  {
    name: 'completions',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completions.ts')).completions,
  },
]
