#!/usr/bin/env node
/** The command `bayou`. */
import { loadCommandLine } from './load-command-line.ts'

// The SDK's version is fixed by this package, and the oldest Node it runs on is this package's matter too: what it would
// say about Node on the standard error is nothing the caller can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const { runCommandLine, processTerminal } = await loadCommandLine()
process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal())
