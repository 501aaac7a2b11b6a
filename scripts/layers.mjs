/**
 * The layers of `src/`, in data-flow order, and what each may import.
 *
 * `node scripts/layers.mjs` writes one `tsconfig.json` a layer from this table, so that the compiler refuses an
 * import that points upwards, and a `node:` import outside the layers marked `node`. The tidy test fails when a
 * file on disk differs from what this table gives.
 */
import { writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const layers = {
  errors: { uses: [] },
  support: { uses: ['errors'] },
  schema: { uses: ['errors', 'support'] },
  expressions: { uses: ['errors', 'support', 'schema'] },
  storage: { uses: ['errors', 'support'], excludes: ['fs', 's3', 'azure'] },
  'storage/fs': { uses: ['errors', 'support', 'storage'], node: true },
  'storage/s3': { uses: ['errors', 'support', 'storage'], node: true },
  'storage/azure': { uses: ['errors', 'support', 'storage'], node: true },
  parquet: { uses: ['errors', 'support', 'schema'] },
  arrow: { uses: ['errors', 'support', 'schema'] },
  kernel: { uses: ['errors', 'support', 'schema', 'expressions', 'storage'] },
  engine: {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'kernel'],
    excludes: ['js', 'duckdb', 'pruning'],
  },
  'engine/pruning': { uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'parquet', 'kernel', 'engine'] },
  'engine/js': {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'parquet', 'kernel', 'engine', 'engine/pruning'],
  },
  'engine/duckdb': {
    uses: [
      'errors',
      'support',
      'schema',
      'expressions',
      'storage',
      'storage/fs',
      'parquet',
      'kernel',
      'engine',
      'engine/pruning',
    ],
    node: true,
  },
  operations: { uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'kernel', 'engine'] },
  table: {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'arrow', 'kernel', 'engine', 'operations'],
  },
  sql: {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'kernel', 'engine', 'operations', 'table'],
  },
  catalog: { uses: ['errors', 'support', 'storage', 'storage/fs', 'storage/s3', 'storage/azure'], node: true },
  session: {
    uses: [
      'errors',
      'support',
      'schema',
      'storage',
      'storage/fs',
      'kernel',
      'engine',
      'engine/js',
      'engine/duckdb',
      'operations',
      'table',
      'catalog',
    ],
    node: true,
  },
  ducklake: {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'storage/fs', 'kernel', 'engine', 'engine/duckdb'],
    node: true,
  },
  worker: {
    uses: [
      'errors',
      'support',
      'schema',
      'expressions',
      'storage',
      'storage/fs',
      'storage/s3',
      'storage/azure',
      'kernel',
      'engine',
      'engine/duckdb',
      'operations',
      'table',
      'catalog',
      'session',
    ],
    node: true,
  },
  'testing/servers': { uses: ['errors', 'support'], node: true },
  testing: {
    uses: ['errors', 'support', 'schema', 'expressions', 'storage', 'kernel', 'engine', 'testing/servers'],
    excludes: ['servers'],
  },
  cli: {
    uses: [
      'errors',
      'support',
      'schema',
      'expressions',
      'storage',
      'storage/fs',
      'parquet',
      'arrow',
      'kernel',
      'engine',
      'engine/js',
      'engine/duckdb',
      'operations',
      'table',
      'sql',
      'catalog',
      'session',
      'ducklake',
      'worker',
    ],
    node: true,
  },
}

/** The two entry points at the top of `src/`: they may use any layer below them. */
export const entries = {
  index: {
    uses: Object.keys(layers).filter((name) => !['cli', 'testing', 'testing/servers'].includes(name)),
    node: true,
  },
  browser: {
    uses: [
      'errors',
      'support',
      'schema',
      'expressions',
      'storage',
      'parquet',
      'arrow',
      'kernel',
      'engine',
      'engine/pruning',
      'engine/js',
      'operations',
      'table',
    ],
  },
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** @returns file name from the repository's root → text */
export function projectFiles() {
  const files = new Map()
  const print = (value) => `${JSON.stringify(value, null, 2)}\n`
  for (const [name, layer] of Object.entries(layers)) {
    const up = relative(name, '.') || '.'
    files.set(
      `src/${name}/tsconfig.json`,
      print({
        extends: `${up}/../tsconfig.base.json`,
        compilerOptions: {
          rootDir: up,
          outDir: `${up}/../dist`,
          tsBuildInfoFile: `${up}/../dist/.tsbuild/${name.replace('/', '-')}.tsbuildinfo`,
          ...(layer.node ? { types: ['node'], lib: ['ES2023'] } : {}),
        },
        include: ['**/*.ts'],
        exclude: ['**/*.test.ts', '**/*.bench.ts', ...(layer.excludes ?? [])],
        references: layer.uses.map((used) => ({ path: relative(name, used) })),
      }),
    )
  }
  for (const [name, entry] of Object.entries(entries)) {
    files.set(
      `src/tsconfig.${name}.json`,
      print({
        extends: '../tsconfig.base.json',
        compilerOptions: {
          rootDir: '.',
          outDir: '../dist',
          tsBuildInfoFile: `../dist/.tsbuild/${name}.tsbuildinfo`,
          ...(entry.node ? { types: ['node'], lib: ['ES2023'] } : {}),
        },
        files: [`${name}.ts`],
        references: entry.uses.map((used) => ({ path: used })),
      }),
    )
  }
  files.set(
    'tsconfig.json',
    print({
      files: [],
      references: [
        ...Object.keys(layers).map((name) => ({ path: `src/${name}` })),
        ...Object.keys(entries).map((name) => ({ path: `src/tsconfig.${name}.json` })),
      ],
    }),
  )
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of projectFiles()) writeFileSync(join(root, file), text)
  console.log(`${projectFiles().size} project files written below ${dirname(join(root, 'tsconfig.json'))}`)
}
