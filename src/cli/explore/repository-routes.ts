/**
 * A frozen repository for the page, read only: its versions, one of them, its tables at a snapshot, and their rows.
 *
 * `GET /` · `GET /versions/<id>` · `GET /versions/<id>/lake?snapshot=` · `GET /versions/<id>/rows?snapshot=&table=&offset=`.
 * What fails is answered as `{ "failure": … }`.
 */
import { type Context, Hono } from 'hono'
import { type OpenVersionOptions, openVersion, Repository } from '../../ducklake/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { answerRows, type RowsAnswer } from './answer-rows.ts'
import { failureOf } from './failure.ts'
import { lakeView, repositoryView, versionView } from './repository-views.ts'

export interface ExploredRepository {
  readonly store: ObjectStore
  /** what opening a version takes */
  readonly opening: OpenVersionOptions
}

const PAGE_ROWS = 100

export function repositoryRoutes({ store, opening }: ExploredRepository): Hono {
  const app = new Hono()
  const answer = async (context: Context, work: (repository: Repository) => Promise<object>) => {
    try {
      return context.json(await work(await Repository.open(store)))
    } catch (error) {
      return context.json({ failure: failureOf(error) })
    }
  }
  app.get('/', (context) => answer(context, repositoryView))
  app.get('/versions/:id', (context) =>
    answer(
      context,
      async (repository) => await versionView(repository, await repository.resolve(context.req.param('id'))),
    ),
  )
  app.get('/versions/:id/lake', (context) =>
    answer(context, async (repository) => {
      const version = await repository.version(await repository.resolve(context.req.param('id')))
      const opened = await openVersion(repository, version, opening)
      try {
        return await lakeView(opened, numberOf(context, 'snapshot'))
      } finally {
        await opened.close()
      }
    }),
  )
  app.get('/versions/:id/rows', (context) =>
    answer(context, async (repository): Promise<RowsAnswer> => {
      const version = await repository.version(await repository.resolve(context.req.param('id')))
      const opened = await openVersion(repository, version, opening)
      try {
        const snapshot = await opened.lake.snapshot({ version: numberOf(context, 'snapshot') })
        const table = await snapshot.table(context.req.query('table') ?? '')
        const offset = numberOf(context, 'offset') ?? 0
        const limit = offset + PAGE_ROWS + 1
        const { schema, batches } = await opened.lake.scan(snapshot, table, { form: 'text', limit }).open()
        return await answerRows(schema, batches(), { offset, limit: PAGE_ROWS })
      } finally {
        await opened.close()
      }
    }),
  )
  return app
}

/** @throws DeltaError `LAKE_USAGE` for what is no whole number */
function numberOf(context: Context, name: string): number | undefined {
  const text = context.req.query(name)
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw deltaError('LAKE_USAGE', { problem: `${name} is no whole number`, advice: `write ${name}=0` })
}
