/** The messages of OTLP logs, as opentelemetry-proto 1 declares them. */
import type { MessageSpec } from './protobuf.ts'

const keyValue: MessageSpec = () => ({ 1: ['key', 'text'], 2: ['value', anyValue] })
const arrayValue: MessageSpec = () => ({ 1: ['values', anyValue, 'repeated'] })
const keyValueList: MessageSpec = () => ({ 1: ['values', keyValue, 'repeated'] })

const anyValue: MessageSpec = () => ({
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int64'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', arrayValue],
  6: ['kvlistValue', keyValueList],
  7: ['bytesValue', 'base64'],
})

const resource: MessageSpec = () => ({ 1: ['attributes', keyValue, 'repeated'] })

const scope: MessageSpec = () => ({
  1: ['name', 'text'],
  2: ['version', 'text'],
  3: ['attributes', keyValue, 'repeated'],
})

const logRecord: MessageSpec = () => ({
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'int64'],
  3: ['severityText', 'text'],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'repeated'],
  7: ['droppedAttributesCount', 'uint32'],
  8: ['flags', 'fixed32'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'text'],
})

const scopeLogs: MessageSpec = () => ({
  1: ['scope', scope],
  2: ['logRecords', logRecord, 'repeated'],
  3: ['schemaUrl', 'text'],
})

const resourceLogs: MessageSpec = () => ({
  1: ['resource', resource],
  2: ['scopeLogs', scopeLogs, 'repeated'],
  3: ['schemaUrl', 'text'],
})

export const exportLogsRequest: MessageSpec = () => ({ 1: ['resourceLogs', resourceLogs, 'repeated'] })
