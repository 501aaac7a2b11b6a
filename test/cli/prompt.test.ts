/** The prompt in a pseudo-terminal, as a person types in it: a step is what to wait for and what to type then. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { makeFolder } from '../support/run-cli.ts'
import { repositoryRoot } from '../support/shared.ts'

const DRIVER = `
import fcntl, json, os, pty, re, select, struct, sys, termios, time
command, steps = json.load(sys.stdin)
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 12, 100, 0, 0))
seen, at = '', 0
end = time.time() + 60
def read():
    if not select.select([fd], [], [], 0.1)[0]:
        return time.time() < end
    try:
        data = os.read(fd, 65536)
    except OSError:
        return False
    global seen
    seen += data.decode('utf8', 'replace')
    return data != b''
for wanted, typed in steps:
    while True:
        found = re.compile(wanted, re.S).search(seen, at)
        if found or not read():
            break
    if not found:
        break
    at = found.end()
    time.sleep(0.1)
    os.write(fd, typed.encode())
while read():
    pass
print(json.dumps({'seen': seen, 'status': os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}))
`

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0
const PROMPT = 'bayou> '

describe('the prompt of bayou sql', () => {
  if (!hasPython) return it.skip('python3, which makes the pseudo-terminal, is not here', () => {})
  const folder = makeFolder()
  afterAll(() => folder.remove())
  let seen = ''
  let status = -1

  beforeAll(() => {
    const command = [
      'node',
      join(repositoryRoot, 'dist/cli/main.js'),
      'sql',
      '--names-folder',
      join(folder.path, 'lake'),
    ]
    const steps = [
      [PROMPT, 'create table orders (order_id bigint,\r'],
      [/\.\.\.> /.source, 'country string);\r'],
      [PROMPT, "insert into orders select id, 'DE' from range(30);\r"],
      [PROMPT, '\\dt\r'],
      [PROMPT, '\\d orders\r'],
      [PROMPT, '\\timing\r'],
      [PROMPT, 'select count(*) as n from orders where orde\t'],
      ['where order', '_id < 5;\r'],
      [PROMPT, 'select * from orders;\r'],
      ['lines more', 'q\r'],
      [PROMPT, 'select nonsense(;\r'],
      [PROMPT, 'half a statement\r'],
      [/\.\.\.> /.source, '\u0003'],
      [PROMPT, '\\nothing\r'],
      [PROMPT, '\\?\r'],
      [PROMPT, '\\q\r'],
    ]
    const env = { ...process.env, HOME: folder.path, XDG_STATE_HOME: folder.path, TERM: 'xterm' }
    const run = spawnSync('python3', ['-c', DRIVER], { input: JSON.stringify([command, steps]), env, encoding: 'utf8' })
    ;({ seen, status } = JSON.parse(run.stdout) as { seen: string; status: number })
  }, 90_000)

  test('ends a statement at its semicolon, over several lines', () => {
    expect(seen).toContain('...> ')
    expect(seen).toMatch(/Done\./)
  })

  test('lists tables and tells of one', () => {
    expect(seen).toMatch(/orders\s+false/)
    expect(seen).toMatch(/order_id\s+bigint/)
    expect(seen).toMatch(/Type\s+MANAGED/)
  })

  test('completes columns and shows times', () => {
    expect(seen).toMatch(/where order.*_id < 5/s)
    expect(seen).toMatch(/Time: [\d.]+ ms/)
  })

  test('shows long results page by page', () => {
    expect(seen).toMatch(/-- \d+ lines more: Enter goes on, q ends --/)
  })

  test('goes on behind a mistake, drops what Ctrl-C drops, helps and leaves', () => {
    expect(seen).toMatch(/error: /)
    expect(seen).toContain('there is no \\nothing')
    expect(seen).toContain('\\dt [PATTERN]')
    expect(status).toBe(0)
  })

  test('keeps statements as history, each as one line', () => {
    const file = join(folder.path, 'bayou', 'history')
    expect(existsSync(file)).toBe(true)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines.at(-1)).toBe('create table orders (order_id bigint, country string);')
    expect(lines).not.toContain('half a statement')
  })
})
