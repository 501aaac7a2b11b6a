/** Functions Spark has and this language refuses by name, and why. */
import type { DeltaError } from '../../errors/index.ts'
import { type RefusedConstruct, unsupported } from '../unsupported.ts'

const CLOCK = [
  ...['current_date', 'curdate', 'current_timestamp', 'now', 'localtimestamp', 'current_time', 'current_timezone'],
  ...['current_user', 'user', 'session_user', 'current_database', 'current_schema', 'current_catalog', 'version'],
]
const RANDOM = ['rand', 'random', 'randn', 'uuid', 'shuffle', 'randstr', 'uniform', 'monotonically_increasing_id']
const ROW = ['spark_partition_id', 'input_file_name', 'input_file_block_start', 'input_file_block_length']
const AGGREGATES = [
  ...[
    'count',
    'sum',
    'avg',
    'mean',
    'min',
    'max',
    'first',
    'last',
    'any_value',
    'collect_list',
    'collect_set',
    'stddev',
  ],
  ...[
    'variance',
    'median',
    'mode',
    'percentile',
    'approx_count_distinct',
    'bool_and',
    'bool_or',
    'every',
    'some',
    'any',
  ],
  ...[
    'array_agg',
    'count_if',
    'listagg',
    'string_agg',
    'max_by',
    'min_by',
    'corr',
    'covar_pop',
    'grouping',
    'first_value',
  ],
  ...[
    'last_value',
    'std',
    'stddev_pop',
    'stddev_samp',
    'var_pop',
    'var_samp',
    'skewness',
    'kurtosis',
    'histogram_numeric',
  ],
]
const WINDOWS = ['row_number', 'rank', 'dense_rank', 'lag', 'lead', 'ntile', 'percent_rank', 'cume_dist', 'nth_value']
const GENERATORS = ['explode', 'explode_outer', 'posexplode', 'posexplode_outer', 'inline', 'inline_outer', 'stack']
const MISSING = [
  ...[
    'make_interval',
    'make_ym_interval',
    'make_dt_interval',
    'make_time',
    'to_time',
    'timediff',
    'window',
    'session_window',
  ],
  ...['format_string', 'printf'],
  ...['parse_url', 'try_parse_url', 'collate'],
  ...['to_number', 'try_to_number', 'to_char', 'to_varchar', 'parse_json', 'try_parse_json', 'variant_get'],
  ...['try_variant_get', 'is_variant_null', 'schema_of_variant', 'to_variant_object', 'from_json', 'schema_of_json'],
  ...['json_tuple', 'from_csv', 'to_csv', 'schema_of_csv', 'from_xml', 'to_xml', 'xpath'],
  ...['sentences', 'collation', 'aes_encrypt', 'aes_decrypt', 'try_aes_decrypt', 'java_method', 'reflect', 'randstr'],
  ...['try_element', 'try_avg'],
]

interface RefusedGroup {
  readonly names: readonly string[]
  readonly what: string
  readonly advice: string
  readonly construct?: RefusedConstruct
}

const GROUPS: readonly RefusedGroup[] = [
  { names: CLOCK, what: 'is not deterministic', advice: 'write the value itself' },
  { names: RANDOM, what: 'is not deterministic', advice: 'compute the value before', construct: 'random' },
  { names: ROW, what: 'depends on where a row lies', advice: 'leave it out', construct: 'random' },
  { names: AGGREGATES, what: 'is an aggregate', advice: 'use it in a SELECT', construct: 'aggregate' },
  { names: WINDOWS, what: 'is a window function', advice: 'use it in a SELECT', construct: 'aggregate' },
  { names: MISSING, what: 'is one of Spark that this package does not have', advice: 'compute the value before' },
  { names: GENERATORS, what: 'gives many rows', advice: 'use it in a SELECT', construct: 'aggregate' },
]

/** The refusal of a function by name; undefined where the name is unknown. */
export function refuseKnown(name: string): DeltaError | undefined {
  const group = GROUPS.find(({ names }) => names.includes(name))
  return group === undefined ? undefined : unsupported(`${name} (it ${group.what})`, group.advice, group.construct)
}
