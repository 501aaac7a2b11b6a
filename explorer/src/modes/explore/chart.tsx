/** An answer as a chart: numbers over its first column, drawn by uPlot, which is loaded when the first chart is. */
import { useEffect, useRef } from 'preact/hooks'
import 'uplot/dist/uPlot.min.css'
import type uPlot from 'uplot'
import type { SqlAnswer } from './sql-pane.tsx'

const MAX_SERIES = 6
const HEIGHT = 280
const COLOURS = ['--accent', '--changed', '--removed', '--added', '--strong-line', '--quiet']

/** Whether there is something to draw: a first column and numbers behind it. */
export function chartable({ columns, rows }: SqlAnswer): boolean {
  return rows.length > 1 && columns.slice(1).some(({ type }) => isNumeric(type))
}

export function ChartOf({ answer }: { answer: SqlAnswer }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let chart: { destroy(): void } | undefined
    let wanted = true
    void import('uplot').then(({ default: UPlot }) => {
      if (wanted && box.current !== null) chart = draw(UPlot, box.current, answer)
    })
    return () => {
      wanted = false
      chart?.destroy()
    }
  }, [answer])
  const names = seriesOf(answer).map((index) => answer.columns[index]?.name)
  return (
    <div
      ref={box}
      class="chart"
      role="img"
      aria-label={`chart of ${names.join(', ')} over ${answer.columns[0]?.name}; the table below holds the same numbers`}
    />
  )
}

function draw(UPlot: typeof uPlot, box: HTMLElement, answer: SqlAnswer): { destroy(): void } {
  const { columns, rows } = answer
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name)
  const first = columns[0]!
  const isTime = /^(date|timestamp)/i.test(first.type)
  const isNumber = isNumeric(first.type)
  const labels = rows.map((row) => row[0] ?? 'null')
  const xs = labels.map((label, i) => (isTime ? Date.parse(label) / 1000 : isNumber ? Number(label) : i))
  const order = xs.map((_, i) => i).sort((a, b) => xs[a]! - xs[b]!)
  const series = seriesOf(answer)
  const data = [
    order.map((i) => xs[i]!),
    ...series.map((column) => order.map((i) => (rows[i]?.[column] === null ? null : Number(rows[i]?.[column])))),
  ]
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line') }, ticks: { stroke: colour('--line') } }
  const named = !isTime && !isNumber
  return new UPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      scales: { x: { time: isTime } },
      axes: [
        named
          ? { ...axis, splits: () => xs, values: (_: unknown, at: number[]) => at.map((i) => labels[i] ?? '') }
          : axis,
        axis,
      ],
      series: [
        { label: first.name },
        ...series.map((column, i) => ({
          label: columns[column]!.name,
          stroke: colour(COLOURS[i % COLOURS.length]!),
          width: 2,
          points: { show: rows.length < 80 },
          ...(named &&
            UPlot.paths.bars !== undefined && {
              paths: UPlot.paths.bars({ size: [0.6, 60] }),
              fill: colour('--accent-ground'),
            }),
        })),
      ],
    },
    data as uPlot.AlignedData,
    box,
  )
}

function seriesOf({ columns }: SqlAnswer): number[] {
  return columns.flatMap(({ type }, i) => (i > 0 && isNumeric(type) ? [i] : [])).slice(0, MAX_SERIES)
}

function isNumeric(type: string): boolean {
  return /^(byte|short|int|integer|long|bigint|smallint|tinyint|float|double|decimal|hugeint)/i.test(type)
}
