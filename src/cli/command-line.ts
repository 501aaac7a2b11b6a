/** What `main.ts` needs of the command, in one module: the entry of the bundle. */
export { runCommandLine } from './run.ts'
export { processTerminal } from './terminal.ts'
