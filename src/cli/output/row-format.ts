/** Rows as NDJSON, CSV or a table for people: the same texts in each. */
import { isNumeric, type Row, rowToJson, type StructType, valueToJson, valueToText } from '../../schema/index.ts'
import type { Output } from './output.ts'
import { TablePrinter } from './text-table.ts'

export const ROW_FORMATS = ['table', 'ndjson', 'csv'] as const
export type RowFormat = (typeof ROW_FORMATS)[number]

/** Takes rows one by one; `end` completes the text. */
export interface RowWriter {
  row(row: Row): Promise<void>
  end(): Promise<void>
}

export function rowWriter(format: RowFormat, schema: StructType, output: Output): RowWriter {
  if (format === 'table') return tableWriter(schema, output)
  return format === 'csv' ? csvWriter(schema, output) : ndjsonWriter(schema, output)
}

function ndjsonWriter(schema: StructType, output: Output): RowWriter {
  return { row: (row) => output.line(rowToJson(row, schema)), end: async () => {} }
}

function tableWriter(schema: StructType, output: Output): RowWriter {
  const columns = schema.fields.map((f) => ({ name: f.name, align: isNumeric(f.type) ? 'right' : 'left' }) as const)
  const printer = new TablePrinter(output, columns)
  return {
    row: (row) => printer.add(schema.fields.map((f, i) => cellText(row, i, f.type))),
    end: () => printer.end(),
  }
}

/** A header of names, then a line a row; null is an empty field, an empty text a quoted one. */
function csvWriter(schema: StructType, output: Output): RowWriter {
  let started = false
  const begin = async () => {
    if (!started) await output.line(schema.fields.map((f) => csvField(f.name)).join(','))
    started = true
  }
  return {
    row: async (row) => {
      await begin()
      const fields = schema.fields.map((f, i) => {
        const text = cellText(row, i, f.type)
        return text === null ? '' : csvField(text)
      })
      await output.line(fields.join(','))
    },
    end: begin,
  }
}

function cellText(row: Row, i: number, type: StructType['fields'][number]['type']): string | null {
  const value = row[i] ?? null
  if (value === null) return null
  return type.kind === 'struct' ? valueToJson(value, type) : valueToText(value, type)
}

function csvField(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
