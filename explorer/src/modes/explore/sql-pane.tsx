/** SQL over the tables of the serving process, run there. */
import type { ServedTable } from '../../messages.ts'

export function SqlPane({ served }: { served: ServedTable }) {
  return <p class="empty">{served.name}</p>
}
