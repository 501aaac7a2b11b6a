/** The field metadata in which a column carries its field id, for reading by id and for writing. */
export const FIELD_ID_KEY = 'parquet.field.id'
