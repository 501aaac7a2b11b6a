/** Settings of a session, under the names that Delta users know. */
import { deltaError } from '../errors/index.ts'
import { type LayoutSizes, parseFileSize } from '../operations/index.ts'

const OVERWRITE_MODE = 'spark.sql.sources.partitionOverwriteMode'
const TXN_APP = 'spark.databricks.delta.write.txnAppId'
const TXN_VERSION = 'spark.databricks.delta.write.txnVersion'
const USER_METADATA = 'spark.databricks.delta.commitInfo.userMetadata'
const AUTO_MERGE = 'spark.databricks.delta.schema.autoMerge.enabled'
const ROW_LEVEL = 'spark.databricks.delta.rowLevelConcurrencyPreview'

const OPTIMIZE = 'spark.databricks.delta.optimize'
const SIZE = { allowed: /^\d{1,15} *([kmg](i?b)?|b)?$/i, says: 'a number of bytes, or a size such as 64m' }

/** The settings there are, what each is without being set, and the values it takes. */
const KNOWN: ReadonlyMap<string, { readonly value: string; readonly allowed?: RegExp; readonly says?: string }> =
  new Map([
    [
      'spark.databricks.delta.retentionDurationCheck.enabled',
      { value: 'true', allowed: /^(true|false)$/i, says: 'true or false' },
    ],
    [OVERWRITE_MODE, { value: 'static', allowed: /^(static|dynamic)$/i, says: 'static or dynamic' }],
    [TXN_APP, { value: '' }],
    [TXN_VERSION, { value: '', allowed: /^\d{0,19}$/, says: 'a whole number' }],
    [USER_METADATA, { value: '' }],
    [AUTO_MERGE, { value: 'false', allowed: /^(true|false)$/i, says: 'true or false' }],
    [ROW_LEVEL, { value: 'false', allowed: /^(true|false)$/i, says: 'true or false' }],
    [`${OPTIMIZE}.minFileSize`, { value: '1073741824', ...SIZE }],
    [`${OPTIMIZE}.maxFileSize`, { value: '1073741824', ...SIZE }],
    [
      `${OPTIMIZE}.maxDeletedRowsRatio`,
      { value: '0.05', allowed: /^(0?\.\d+|[01](\.0*)?)$/, says: 'a part from 0 to 1' },
    ],
    [`${OPTIMIZE}.batchSize`, { value: '', ...SIZE, allowed: /^(\d{1,15} *([kmg](i?b)?|b)?)?$/i }],
    ['spark.sql.session.timeZone', { value: 'UTC', allowed: /^(UTC|Z|GMT|Etc\/UTC)$/, says: 'UTC' }],
  ])

export class Settings {
  private readonly values = new Map<string, string>()

  /** @throws DeltaError `LAKE_SETTING_UNKNOWN`, `LAKE_INVALID_OPTION` */
  set(key: string, value: string): void {
    const known = this.knownOf(key)
    if (known.allowed?.test(value) === false) {
      throw deltaError('LAKE_INVALID_OPTION', { option: key, value, allowed: `it takes ${known.says}` })
    }
    this.values.set(key, value)
  }

  /** @throws DeltaError `LAKE_SETTING_UNKNOWN` */
  get(key: string): string {
    return this.values.get(key) ?? this.knownOf(key).value
  }

  /** Takes one setting back, or all. */
  reset(key?: string): void {
    if (key === undefined) this.values.clear()
    else {
      this.knownOf(key)
      this.values.delete(key)
    }
  }

  get all(): readonly (readonly [string, string])[] {
    return [...KNOWN.keys()].map((key) => [key, this.get(key)] as const)
  }

  get overwritesDynamically(): boolean {
    return this.get(OVERWRITE_MODE).toLowerCase() === 'dynamic'
  }

  get mergesSchema(): boolean {
    return this.get(AUTO_MERGE).toLowerCase() === 'true'
  }

  /** What OPTIMIZE and REORG hold to, where it was set: else a table's own sizes count. */
  get layoutSizes(): LayoutSizes {
    const sizes = (['minFileSize', 'maxFileSize', 'batchSize'] as const).flatMap((name) => {
      const size = parseFileSize(this.values.get(`${OPTIMIZE}.${name}`) ?? '')
      return size === undefined ? [] : [[name, size] as const]
    })
    const ratio = this.values.get(`${OPTIMIZE}.maxDeletedRowsRatio`)
    return { ...Object.fromEntries(sizes), ...(ratio !== undefined && { maxDeletedRowsRatio: Number(ratio) }) }
  }

  /** Whether UPDATE, DELETE and MERGE stand beside changes of other rows in the same files. */
  get concurrency(): { readonly rowLevelConcurrency?: boolean } {
    return this.get(ROW_LEVEL).toLowerCase() === 'true' ? { rowLevelConcurrency: true } : {}
  }

  /** What every commit of the session carries. */
  get commit(): { readonly userMetadata?: string } {
    const userMetadata = this.get(USER_METADATA)
    return userMetadata === '' ? {} : { userMetadata }
  }

  /** The application and version under which a write is done at most once. */
  get transaction(): { readonly transaction?: { readonly appId: string; readonly version: bigint } } {
    const [appId, version] = [this.get(TXN_APP), this.get(TXN_VERSION)]
    return appId === '' || version === '' ? {} : { transaction: { appId, version: BigInt(version) } }
  }

  private knownOf(key: string) {
    const known = KNOWN.get(key)
    if (known !== undefined) return known
    throw deltaError('LAKE_SETTING_UNKNOWN', { key, known: [...KNOWN.keys()].join(', ') })
  }
}
