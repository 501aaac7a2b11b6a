/**
 * Catalogs that we publish, attached by the real DuckLake extensions: every snapshot of every table must be what they see
 * in the catalog that was published, over a folder and over our own server. Older extensions must refuse, not misread.
 *
 * Needs the extensions as `install-ducklake.sh` puts them below ORACLE_HOME.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot, sharedMissing, sharedPath } from '../support/shared.ts'

const FIXTURES = [
  'plain',
  'history',
  'puffin-dv',
  'inline',
  'inline-live',
  'evolve',
  'partitioned',
  'merged',
  'expired',
  'objects',
  'sqlite-catalog',
  'migrated-v03',
  'v01-basic',
  'v02-basic',
  'v03-basic',
  'from-delta-dv',
  'from-delta-nested',
  'from-delta-cm',
]
const cli = join(repositoryRoot, 'dist/cli/main.js')
const pythonOf = (version: string) => join(process.env.ORACLE_HOME ?? '', `ducklake-${version}`, 'bin/python')
const missing =
  sharedMissing('ducklake') ??
  (process.env.ORACLE_HOME !== undefined && existsSync(pythonOf('1.5.5'))
    ? undefined
    : 'ORACLE_HOME names no folder with the DuckLake extension of DuckDB 1.5.5 in it')
if (missing !== undefined) console.log(`skipped: published catalogs before the extensions: ${missing}`)

/** Counts the rows of each table at each snapshot, with a sum over their text, or what kept it from them; argv: catalog, data path. */
const COUNTS = `
import sys, glob, json, duckdb
packages = [p for p in sys.path if p.endswith('site-packages')][0]
c = duckdb.connect()
for name in ('ducklake', 'httpfs'):
    for found in glob.glob(packages + '/**/' + name + '.duckdb_extension', recursive=True)[:1]:
        c.execute("LOAD '%s'" % found)
override = '' if duckdb.__version__.startswith('1.3') else ', OVERRIDE_DATA_PATH true'
c.execute("ATTACH 'ducklake:%s' AS l (READ_ONLY, DATA_PATH '%s'%s)" % (sys.argv[1], sys.argv[2], override))
seen = {}
for (snapshot,) in c.execute("SELECT snapshot_id FROM ducklake_snapshots('l') ORDER BY 1").fetchall():
    c.execute("ATTACH 'ducklake:%s' AS s (READ_ONLY, DATA_PATH '%s'%s, SNAPSHOT_VERSION %d)" % (sys.argv[1], sys.argv[2], override, snapshot))
    tables = c.execute("SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 's' AND schema_name NOT LIKE '%metadata%'").fetchall()
    c.execute('DETACH s')
    for schema, table in sorted(tables):
        name = '.'.join('"' + part.replace('"', '""') + '"' for part in ('l', schema, table))
        query = "SELECT count(*), coalesce(sum(hash(t::VARCHAR)::HUGEINT), 0) FROM %s AS t AT (VERSION => %d)" % (name, snapshot)
        try:
            seen['%d %s.%s' % (snapshot, schema, table)] = [str(v) for v in c.execute(query).fetchall()[0]]
        except Exception as error:
            seen['%d %s.%s' % (snapshot, schema, table)] = [type(error).__name__]
print(json.dumps(seen))
`

describe.skipIf(missing !== undefined)('published catalogs before the extensions', () => {
  let folder: string
  const matrix: Record<string, string>[] = []
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bayou-lake-interop-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
    console.table(matrix)
  })

  const bayou = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`bayou ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const counts = (version: string, catalog: string, data: string) => {
    const run = spawnSync(pythonOf(version), ['-c', COUNTS, catalog, data], { encoding: 'utf8' })
    if (run.status !== 0) return { refusal: run.stderr.trim().split('\n').at(-1)! }
    return { seen: JSON.parse(run.stdout) as Record<string, string[]> }
  }

  test.each(FIXTURES)('%s', { timeout: 300_000 }, async (name) => {
    const source = join(folder, name)
    cpSync(sharedPath('ducklake', name), source, { recursive: true })
    const catalog = readdirSync(source).find((file) => /^catalog\.(duckdb|sqlite)$/.test(file))!
    const root = join(folder, `${name}-repository`)
    bayou('repo', 'init', root, '--format', '1.0', '--format', '1.1')
    bayou('repo', 'publish', root, join(source, catalog), '-m', name)
    const [version] = readdirSync(join(root, 'versions'))
    const published = `versions/${version}/catalogs/1.0.duckdb`
    const wanted = counts(
      '1.5.5',
      catalog.endsWith('sqlite') ? `sqlite:${join(source, catalog)}` : join(source, catalog),
      `${source}/data/`,
    )
    const byFolder = counts('1.5.5', join(root, published), `${root}/data/`)
    const server = spawn(process.execPath, [cli, 'repo', 'serve', root, '--port', '0'])
    let byServer: ReturnType<typeof counts>
    try {
      const [said] = (await once(server.stdout, 'data')) as [Buffer]
      const url = /http:\S+/.exec(said.toString())![0]
      byServer = await countsBeside(`${url}/${published}`, `${url}/data/`)
    } finally {
      server.kill('SIGINT')
    }
    const older = ['1.4.4', '1.3.2'].filter((release) => existsSync(pythonOf(release)))
    const refusals = older.map((release) => counts(release, join(root, published), `${root}/data/`).refusal)
    matrix.push({
      catalog: name,
      snapshots: String(new Set(Object.keys(byFolder.seen ?? {}).map((key) => key.split(' ')[0])).size),
      'DuckDB 1.5, folder': byFolder.refusal ?? 'equal',
      'DuckDB 1.5, server': byServer.refusal ?? 'equal',
      'older DuckDB': refusals.every((refusal) => refusal !== undefined) ? 'refused' : 'READ',
    })
    expect(byFolder.seen).toBeDefined()
    // what the extension of today cannot read where it was, it cannot be asked about
    if (wanted.seen !== undefined) expect(byFolder.seen).toEqual(wanted.seen)
    expect(byServer.seen).toEqual(byFolder.seen)
    expect(refusals).not.toContain(undefined)
  })

  /** As `counts`, while this process goes on: the server is its child, and its pipes have to be read. */
  function countsBeside(catalog: string, data: string): Promise<ReturnType<typeof counts>> {
    return new Promise((resolve, reject) => {
      const child = spawn(pythonOf('1.5.5'), ['-c', COUNTS, catalog, data])
      let [out, err] = ['', '']
      child.stdout.on('data', (text) => {
        out += text
      })
      child.stderr.on('data', (text) => {
        err += text
      })
      child.on('error', reject)
      child.on('close', (status) =>
        resolve(status === 0 ? { seen: JSON.parse(out) } : { refusal: err.trim().split('\n').at(-1)! }),
      )
    })
  }
})
