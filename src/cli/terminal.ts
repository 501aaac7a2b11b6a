/** The process as commands see it; tests and other fronts can put something else in its place. */

export interface Terminal {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export function processTerminal(): Terminal {
  process.stdout.on('error', endQuietly)
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd() }
}

/** Whoever read the output has seen enough, as `head` does. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
