/** Prints what was skipped and why, what needed a second try, and the closing counts. */
import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const results = [...module.children.allTests()].map((test) => ({ test, result: test.result() }))
      counts.passed += results.filter(({ result }) => result.state === 'passed').length
      const failed = results.filter(({ result }) => result.state === 'failed').length
      // a module that fails outside of its tests, in an import or a hook, is a failure too
      counts.failed += failed === 0 && !module.ok() ? 1 : failed
      const skipped = results.filter(({ result }) => result.state === 'skipped')
      counts.skipped += skipped.length
      for (const line of skipLines(module, skipped)) console.log(line)
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky)
          console.log(`passed at the second try: ${module.relativeModuleId}: ${test.fullName}`)
      }
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    if (process.env.BAYOU_TEST_COUNTS !== undefined) appendFileSync(process.env.BAYOU_TEST_COUNTS, `${line}\n`)
    console.log(line)
  }
}

type Skipped = readonly {
  readonly test: { readonly fullName: string }
  readonly result: { readonly state: string; readonly note?: string | undefined }
}[]

/** A test skips with a note; a whole suite is skipped by its file, which prints the reason when it is read. */
function skipLines(module: TestModule, skipped: Skipped): string[] {
  const noted = skipped.filter(({ result }) => result.note !== undefined)
  const lines = noted.map(({ test, result }) => `skipped: ${test.fullName}: ${result.note}`)
  const rest = skipped.length - noted.length
  if (rest > 0) lines.push(`skipped: ${module.relativeModuleId}: ${rest} tests, for the reason it printed`)
  return lines
}
