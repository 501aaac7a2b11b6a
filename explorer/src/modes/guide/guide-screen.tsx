/** The guide. */
import type { Place } from '../../location.ts'
import type { Remote } from '../../remote.ts'

export function GuideScreen(_: { remote: Remote; place: Place; go: (change: Partial<Place>) => void }) {
  return <main class="guide" />
}
