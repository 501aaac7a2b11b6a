/** A long result at the prompt, page by page. */
import type { Interface } from 'node:readline'

/** Lines of a page that are not for rows: what is asked, and the line above it. */
const FOOTER_LINES = 2

/**
 * Shows lines as many at once as the screen has, and asks before it goes on.
 *
 * @returns false where the rest was not wanted
 */
export async function showPages(
  text: string,
  { lines, rows, write }: { readonly lines: Interface; readonly rows: number; readonly write: (text: string) => void },
): Promise<boolean> {
  const all = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n')
  const size = Math.max(1, rows - FOOTER_LINES)
  for (let at = 0; at < all.length; at += size) {
    write(`${all.slice(at, at + size).join('\n')}\n`)
    const left = all.length - at - size
    if (left > 0 && !(await wantsMore(lines, left))) return false
  }
  return true
}

async function wantsMore(lines: Interface, left: number): Promise<boolean> {
  const answer = await new Promise<string>((resolve) => {
    lines.question(`-- ${left} lines more: Enter goes on, q ends --`, resolve)
  })
  return !/^\s*q/i.test(answer)
}
