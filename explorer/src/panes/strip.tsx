/** The log as a strip: one stop a commit, a slider over all of them. */
import { useEffect, useRef } from 'preact/hooks'
import { formatMoment } from '../format.ts'
import type { OpenedTable, VersionLine } from '../messages.ts'

/** More stops than this are not drawn at once; the slider goes over all. */
const MAX_STOPS = 41

interface Props {
  readonly opened: OpenedTable
  readonly chosen: number
  readonly onChoose: (version: number) => void
  /** lines of versions that `opened` does not carry */
  readonly lines?: ReadonlyMap<number, VersionLine>
}

export function LogStrip({ opened, chosen, onChoose, lines }: Props) {
  const track = useRef<HTMLOListElement>(null)
  const { earliest, latest } = opened
  useEffect(() => {
    const stop = track.current?.querySelector<HTMLElement>('[aria-current="true"]')
    const list = track.current
    if (stop !== null && stop !== undefined && list !== null) {
      list.scrollTo({ left: stop.offsetLeft - list.clientWidth / 2 + stop.clientWidth / 2 })
    }
  }, [chosen, latest])
  const first = Math.max(earliest, Math.min(chosen - (MAX_STOPS >> 1), latest - MAX_STOPS + 1))
  const last = Math.min(latest, first + MAX_STOPS - 1)
  const stops = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const unreadable = new Set(opened.unreadable.map(({ version }) => version))
  const lineOf = (version: number) => opened.versions.find((line) => line.version === version) ?? lines?.get(version)
  const operation = lineOf(chosen)?.operation ?? 'commit'
  return (
    <nav class="strip" aria-label="versions of the log">
      <ol ref={track} class="stops">
        {first > earliest && <li class="more-stops">…</li>}
        {stops.map((version) => (
          <Stop
            key={version}
            version={version}
            line={lineOf(version)}
            chosen={version === chosen}
            unreadable={unreadable.has(version)}
            onChoose={onChoose}
          />
        ))}
        {last < latest && <li class="more-stops">…</li>}
      </ol>
      <label class="slider">
        <span class="visually-hidden">version</span>
        <input
          type="range"
          min={earliest}
          max={latest}
          value={chosen}
          disabled={earliest === latest}
          aria-valuetext={`version ${chosen} of ${latest}, ${operation}`}
          onInput={(event) => onChoose(Number(event.currentTarget.value))}
        />
        <output>{chosen === latest ? 'latest' : `${latest - chosen} behind the latest`}</output>
      </label>
    </nav>
  )
}

interface StopProps {
  readonly version: number
  readonly line: VersionLine | undefined
  readonly chosen: boolean
  readonly unreadable: boolean
  readonly onChoose: (version: number) => void
}

function Stop({ version, line, chosen, unreadable, onChoose }: StopProps) {
  const marked = line?.marks.includes('checkpoint') === true
  return (
    <li>
      <button
        type="button"
        class={`stop${unreadable ? ' unreadable' : ''}${marked ? ' marked' : ''}`}
        aria-current={chosen}
        title={line === undefined ? undefined : `${line.operation}, ${formatMoment(line.timestampMs)}`}
        onClick={() => onChoose(version)}
      >
        <span class="stop-number">v{version}</span>
        <span class="stop-dot" aria-hidden="true">
          {unreadable ? '×' : ''}
        </span>
        <span class="stop-what">{line === undefined ? '' : operationWord(line)}</span>
        {unreadable && <span class="visually-hidden">, files deleted by vacuum</span>}
        {marked && <span class="visually-hidden">, checkpoint</span>}
      </button>
    </li>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  'CREATE TABLE': 'CREATE',
  'CREATE TABLE AS SELECT': 'CREATE',
  'VACUUM START': 'VACUUM',
  'VACUUM END': 'VACUUM',
  'SET TBLPROPERTIES': 'SET',
  'ADD COLUMNS': 'COLUMNS',
  'DROP FEATURE': 'DROP',
}

/** `append` and `overwrite` of a WRITE, which do opposite things. */
export function operationWord({ operation, parameters }: VersionLine): string {
  const mode = parameters.find(([key]) => key === 'mode')?.[1]
  if (operation === 'WRITE' && mode !== undefined) return mode === 'ErrorIfExists' ? 'create' : mode.toLowerCase()
  return WORDS[operation] ?? (operation.length > 12 ? operation.split(' ')[0]! : operation)
}
