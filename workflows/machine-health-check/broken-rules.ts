/** Which rules of the cluster apply while its ConfigMap cannot be read. */
export const RULES_MEANWHILE = 'the last good rules apply, or the built-in one where there were none';
