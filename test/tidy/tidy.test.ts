/**
 * What the compiler cannot hold: layers as stated, doors used, files and functions of a readable size, nothing in the
 * text that belongs to one machine or one moment.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { layers, projectFiles } from '../../scripts/layers.mjs'
import { repositoryRoot } from '../support/shared.ts'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 80

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repositoryRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('test/fixtures/'))

const sources = files.filter((file) => /^(src|explorer|test|bench|scripts|examples)\/.*\.(ts|tsx|mjs)$/.test(file))
const read = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8')
const layerNames = Object.keys(layers).sort((a, b) => b.length - a.length)
const layerOf = (path: string) => layerNames.find((name) => path.startsWith(`src/${name}/`))

describe('tidy', () => {
  test('the project files are what scripts/layers.mjs gives', () => {
    for (const [file, text] of projectFiles()) expect(read(file), file).toBe(text)
  })

  test('another layer is imported through its index.ts', () => {
    const faults: string[] = []
    for (const file of sources.filter((name) => name.startsWith('src/') && !name.endsWith('.test.ts'))) {
      for (const [, target = ''] of read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
        const path = posix.join(dirname(file), target)
        if (layerOf(path) !== layerOf(file) && !path.endsWith('/index.ts')) faults.push(`${file} imports ${target}`)
      }
    }
    expect(faults).toEqual([])
  })

  test('the compiler is never told to look away', () => {
    const faults = sources.filter((file) =>
      /@ts-(ignore|nocheck|expect-error)|:\s*any\b|\bas any\b/.test(stripTests(file)),
    )
    expect(faults).toEqual([])
  })

  test(`files stay under ${MAX_FILE_LINES} lines`, () => {
    const faults = sources
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => ({ file, lines: read(file).split('\n').length }))
      .filter(({ lines }) => lines > MAX_FILE_LINES)
      .map(({ file, lines }) => `${file}: ${lines} lines`)
    expect(faults).toEqual([])
  })

  test(`functions stay under ${MAX_FUNCTION_LINES} lines`, () => {
    const faults = sources
      .filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
      .flatMap(longFunctions)
    expect(faults).toEqual([])
  })

  test('nothing speaks of one machine, one registry or unfinished work', () => {
    const banned = [/\/work\//, /\/tmp\/wt/, /registry\.npmjs/, /\bTODO\b/, /\bFIXME\b/, /\/\/ XXX\b/, /\.only\(/]
    const faults: string[] = []
    for (const file of files.filter((name) => /\.(ts|tsx|mjs|md|json|html|css)$|^\.ci\//.test(name))) {
      if (file === 'test/tidy/tidy.test.ts' || file === 'package-lock.json') continue
      for (const pattern of banned) if (pattern.test(read(file))) faults.push(`${file}: ${pattern}`)
    }
    expect(faults).toEqual([])
  })

  test('every file begins by saying what it is for', () => {
    const faults = sources.filter(
      (file) =>
        file.startsWith('src/') && !/(^|\/)index\.ts$|\.test\.ts$/.test(file) && !/^(#!.*\n)?\/\*\*/.test(read(file)),
    )
    expect(faults).toEqual([])
  })

  test('each folder of src has its line in src/README.md', () => {
    const readme = read('src/README.md')
    const missing = Object.keys(layers).filter((name) => !name.includes('/') && !readme.includes(`| \`${name}/\` |`))
    expect(missing).toEqual([])
  })

  test('dependencies are pinned and justified in ARCHITECTURE.md', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'))
    const architecture = read('ARCHITECTURE.md')
    const all: [string, string][] = Object.entries({ ...dependencies, ...devDependencies })
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+/.test(version))).toEqual([])
    expect(all.filter(([name]) => !architecture.includes(`\`${name}\``)).map(([name]) => name)).toEqual([])
  })
})

function stripTests(file: string): string {
  return file === 'test/tidy/tidy.test.ts' ? '' : read(file)
}

/** Finds functions and methods by the indentation that the formatter gives their first and last line. */
function longFunctions(file: string): string[] {
  const lines = read(file).split('\n')
  const faults: string[] = []
  lines.forEach((line, start) => {
    const opening =
      /^(\s*)(?:export )?(?:private |static |override |async |get )*(?:function\*? |\*?)?\s*([\w$]+)\s*(?:<[^>]*>)?\(.*\{$/.exec(
        line,
      )
    if (opening === null || /=>|\(\{$|^\s*(if|for|while|switch|catch|describe|test)\b/.test(line)) return
    const end = lines.findIndex(
      (candidate, i) => i > start && [`${opening[1]}}`, `${opening[1]}},`].includes(candidate),
    )
    if (end - start > MAX_FUNCTION_LINES) faults.push(`${file}:${start + 1} ${opening[2]}: ${end - start} lines`)
  })
  return faults
}
