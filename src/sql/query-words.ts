/** First words of a query, whose grammar, texts and quoted names are the engine's. */
export const QUERY_WORDS = ['SELECT', 'WITH', 'FROM', 'VALUES', 'TABLE', 'PIVOT', 'UNPIVOT', 'SUMMARIZE'] as const
