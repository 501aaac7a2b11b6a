/** A plain file server with ranges, and a delay before each answer, as a store has that is not on this machine. */
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'

const TYPES = { js: 'text/javascript', html: 'text/html', json: 'application/json' }

/**
 * @param {{ folders: Record<string, string>, texts: Record<string, string>, delayMs: number }} options
 * folders by the first segment of their paths, and texts by path
 */
export async function serve({ folders, texts, delayMs }) {
  const asked = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname)
    const bytes = texts[path] === undefined ? bytesOf(folders, path) : Buffer.from(texts[path])
    setTimeout(() => {
      const sent = answer(
        bytes,
        request,
        response,
        TYPES[path.split('.').at(-1)] ?? (path === '/' ? TYPES.html : undefined),
      )
      asked.push({ path, bytes: sent })
    }, delayMs)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() }
}

function bytesOf(folders, path) {
  const [, first, ...rest] = normalize(path).split('/')
  const file = folders[first] === undefined ? undefined : join(folders[first], ...rest)
  if (file === undefined || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  return readFileSync(file)
}

/** @returns how many bytes of a body went out */
function answer(bytes, { method, headers }, response, type) {
  if (bytes === undefined) {
    response.writeHead(404).end()
    return 0
  }
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  const start = from === undefined ? 0 : from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from)
  const end = from === undefined || from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1)
  const part = bytes.subarray(start, end)
  const range = from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }
  response.writeHead(from === undefined ? 200 : 206, {
    ...(type !== undefined && { 'content-type': type }),
    'accept-ranges': 'bytes',
    'content-length': part.length,
    ...range,
  })
  response.end(method === 'HEAD' ? undefined : part)
  return method === 'HEAD' ? 0 : part.length
}
