/** The versions of the table, newest first, and a slider over them. */
import { formatTime } from '../format.ts'
import type { OpenedTable } from '../messages.ts'

interface Props {
  readonly opened: OpenedTable
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

export function VersionList({ opened, chosen, onChoose }: Props) {
  const oldest = opened.versions.at(-1)?.version ?? opened.latest
  const operation = opened.versions.find((line) => line.version === chosen)?.operation ?? ''
  return (
    <nav class="versions" aria-label="versions">
      <label class="slider">
        <span>version {chosen}</span>
        <input
          type="range"
          min={oldest}
          max={opened.latest}
          value={chosen}
          aria-valuetext={`version ${chosen} of ${opened.latest}, ${operation}`}
          onChange={(event) => onChoose(Number(event.currentTarget.value))}
        />
      </label>
      <ol>
        {opened.versions.map((line) => (
          <li key={line.version}>
            <button type="button" aria-current={line.version === chosen} onClick={() => onChoose(line.version)}>
              <span class="version-number">v{line.version}</span> <strong>{line.operation}</strong>
              {line.checkpoint && <span class="mark">checkpoint</span>}
              <span class="quiet line">{formatTime(line.timestampMs)}</span>
              {line.detail !== '' && <span class="quiet line">{line.detail}</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
