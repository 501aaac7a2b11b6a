import { describe, expect, test } from 'vitest'
import { accessLog } from './access-log.ts'
import type { LineFormat } from './line-format.ts'
import { logfmt } from './logfmt.ts'
import { syslogFormat } from './syslog.ts'

const parsed = (format: LineFormat, line: string) => {
  const fields = format.parse(line)
  return fields && Object.fromEntries(fields)
}

describe('access logs', () => {
  test('common lines: a field that is - is null, times have their zone', () => {
    const line = '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326'
    expect(parsed(accessLog, line)).toEqual({
      host: '127.0.0.1',
      ident: null,
      user: 'frank',
      time: '2000-10-10T13:55:36-07:00',
      request: 'GET /apache_pb.gif HTTP/1.0',
      method: 'GET',
      path: '/apache_pb.gif',
      protocol: 'HTTP/1.0',
      status: '200',
      bytes: '2326',
      referer: null,
      user_agent: null,
    })
  })

  test('combined lines: escapes, users with spaces, requests that are none', () => {
    const line = String.raw`::1 - Jo Doe [01/Feb/2026:00:00:00 +0000] "\x16\x03\x01 \"x\\" 400 - "-" "na\xc3\xafve \"1.0\""`
    expect(parsed(accessLog, line)).toMatchObject({
      host: '::1',
      user: 'Jo Doe',
      request: '\x16\x03\x01 "x\\',
      method: '\x16\x03\x01',
      status: '400',
      bytes: null,
      referer: null,
      user_agent: 'naïve "1.0"',
    })
  })

  test.each(['', 'GET / HTTP/1.0', '127.0.0.1 - - [today] "GET / HTTP/1.0" 200 1', '{"host":"a"}'])(
    'refuses %j',
    (line) => expect(accessLog.parse(line)).toBeUndefined(),
  )
})

describe('logfmt', () => {
  test('pairs, quoted values with escapes, keys alone, nothing behind the sign', () => {
    const line = String.raw`at=info msg="say \"hi\"\n\u00e9" path=/a=b?c n=1.50 empty="" none= flag`
    expect(parsed(logfmt, line)).toEqual({
      at: 'info',
      msg: 'say "hi"\né',
      path: '/a=b?c',
      n: '1.50',
      empty: '',
      none: null,
      flag: 'true',
    })
  })

  test.each(['a="open', 'a=1 a=2', '=x', 'a="x"y'])('refuses %j', (line) => expect(logfmt.parse(line)).toBeUndefined())
})

describe('syslog', () => {
  const syslog = syslogFormat(() => Date.parse('2026-01-05T00:00:00Z'))

  test('messages of RFC 5424, with structured data', () => {
    const data = String.raw`[ex@1 iut="3" src="A\"\]"][b@2]`
    expect(
      parsed(syslog, `<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 ID47 ${data} \ufeffhello`),
    ).toEqual({
      facility: '20',
      severity: '5',
      version: '1',
      time: '2003-08-24T05:14:15.000003-07:00',
      host: '192.0.2.1',
      app: 'myproc',
      process: '8710',
      message_id: 'ID47',
      data: '{"ex@1":{"iut":"3","src":"A\\"]"},"b@2":{}}',
      message: 'hello',
    })
    expect(parsed(syslog, '<0>1 - - - - - -')).toMatchObject({ severity: '0', time: null, data: null, message: null })
  })

  test('messages of RFC 3164, in the year nearest to now', () => {
    expect(parsed(syslog, "<34>Dec 31 22:14:15 mymachine su[12]: 'su root' failed")).toEqual({
      facility: '4',
      severity: '2',
      time: '2025-12-31T22:14:15Z',
      host: 'mymachine',
      app: 'su',
      process: '12',
      message: "'su root' failed",
    })
    expect(parsed(syslog, '<13>Jan  6 01:02:03 h no tag')).toMatchObject({ time: '2026-01-06T01:02:03Z', app: null })
  })

  test.each(['', 'hello', '<192>1 - - - - - -', '<13>Foo  6 01:02:03 h x', '<13>Feb 30 01:02:03 h x'])(
    'refuses %j',
    (line) => expect(syslog.parse(line)).toBeUndefined(),
  )
})
