/** Prints what was skipped and why, what failed, and the closing counts. */
import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      if (!module.ok() && [...module.children.allTests()].every((test) => test.result().state !== 'failed'))
        counts.failed++
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'passed') counts.passed++
        if (result.state === 'failed') counts.failed++
        if (result.state !== 'skipped') continue
        counts.skipped++
        console.log(`skipped: ${test.fullName}: ${result.note ?? 'NO REASON GIVEN'}`)
        if (result.note === undefined) counts.failed++
      }
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    if (process.env.BAYOU_TEST_COUNTS !== undefined) appendFileSync(process.env.BAYOU_TEST_COUNTS, `${line}\n`)
    console.log(line)
    if (counts.failed > 0) process.exitCode = 1
  }
}
