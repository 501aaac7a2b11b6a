#!/usr/bin/env node
/** The command `bayou`. */
import { runCommandLine } from './run.ts'
import { processTerminal } from './terminal.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal())
