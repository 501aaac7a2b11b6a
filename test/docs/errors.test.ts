/** The page of errors and the catalogue say the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorsPage } from '../../scripts/docs.mjs'
import { catalogue } from '../../src/errors/index.ts'
import { repositoryRoot } from '../support/shared.ts'

const page = readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8')

test('docs/errors.md is what the catalogue gives (node scripts/docs.mjs writes it)', () => {
  expect(page).toBe(errorsPage())
})

test('every code on the page is in the catalogue', () => {
  const codes = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, code]) => code)
  expect(codes.sort()).toEqual(Object.keys(catalogue).sort())
})
