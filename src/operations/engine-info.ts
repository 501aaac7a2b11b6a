/** How commits of this package name their writer. */
export const ENGINE_INFO = 'bayou/0.1.0'
