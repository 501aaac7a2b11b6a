/** Four workloads against what each needs. */
import type { FigureProps } from './live-figure.tsx'

const NEEDS = ['many rows at a time', 'one row in milliseconds', 'older versions', 'writes in batches'] as const
const WORKLOADS: readonly {
  readonly name: string
  readonly fits: 'well' | 'poorly' | 'with care'
  readonly needs: readonly [string, string, string, string]
  readonly why: string
}[] = [
  {
    name: 'Monthly reports over years of orders',
    fits: 'well',
    needs: ['yes', 'no', 'useful', 'yes'],
    why: 'Large scans of few columns; each report can be repeated at the version it was made from.',
  },
  {
    name: 'A nightly load from a supplier',
    fits: 'well',
    needs: ['yes', 'no', 'useful', 'yes'],
    why: 'One merge a night, one commit, and a way back when the file was wrong.',
  },
  {
    name: 'Events, written every few seconds',
    fits: 'with care',
    needs: ['yes', 'no', 'rarely', 'no'],
    why: 'Each commit is a file and an entry of the log: batch the writes and compact, or reading gets slow.',
  },
  {
    name: 'A shopping basket',
    fits: 'poorly',
    needs: ['no', 'yes', 'no', 'no'],
    why: 'Changing one row rewrites a file. That is the design, and no tuning takes it away: use a database.',
  },
]
const SIGNS = { well: '✓', 'with care': '~', poorly: '✗' }

export function WorkloadsFigure({ onState }: FigureProps) {
  onState({ start: { from: 'starter' }, calls: [] })
  return (
    <div class="figure">
      <section class="scroll workloads" aria-label="workloads">
        <table>
          <thead>
            <tr>
              <th scope="col">workload</th>
              {NEEDS.map((need) => (
                <th key={need} scope="col">
                  {need}
                </th>
              ))}
              <th scope="col">fits</th>
              <th scope="col">because</th>
            </tr>
          </thead>
          <tbody>
            {WORKLOADS.map(({ name, fits, needs, why }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {needs.map((need, i) => (
                  <td key={NEEDS[i]}>{need}</td>
                ))}
                <td class={`fits ${fits}`}>
                  <span aria-hidden="true">{SIGNS[fits]}</span> {fits}
                </td>
                <td class="why">{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}
