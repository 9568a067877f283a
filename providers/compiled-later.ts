import type { ErrorObject, ValidateFunction } from 'ajv';

/** Whether a value is what a JSON Schema allows. */
export interface Check<T> {
  (value: unknown): value is T;
  /** What was wrong with the last value. Absent: nothing. */
  readonly errors?: readonly ErrorObject[] | null | undefined;
}

/** Compiles a schema when the first value is checked: one takes up to 0.1 s, and most processes check few of them. */
export function compiledLater<T>(compile: () => ValidateFunction<T>): Check<T> {
  let compiled: ValidateFunction<T> | undefined;
  const check = (value: unknown): value is T => {
    compiled ??= compile();
    return compiled(value);
  };
  return Object.defineProperty(check, 'errors', { get: () => compiled?.errors });
}
