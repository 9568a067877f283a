import type { LabelSelector } from './model/machine-set.ts';

/** Kubernetes' rule: all of matchLabels and all expressions. An empty selector is taken to select nothing. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const matchLabels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  if (matchLabels.length + expressions.length === 0) return false;
  return (
    matchLabels.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}

/** The selector as `labelSelector=` takes it. */
export function formatSelector(selector: LabelSelector): string {
  const equals = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'Exists':
        return key;
      case 'DoesNotExist':
        return `!${key}`;
    }
  });
  return [...equals, ...expressions].join(',');
}

const KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;

/**
 * Why the API server would not take the selector, or nobody should; undefined: it is one.
 *
 * @param path where it stands, for the message
 */
export function problemOfSelector(selector: LabelSelector, path: string): string | undefined {
  const labels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  if (labels.length + expressions.length === 0) {
    return `${path} is empty, and would take every Machine of the namespace: write matchLabels`;
  }
  const keys = [...labels.map(([key]) => key), ...expressions.map(({ key }) => key)];
  const badKey = keys.find((key) => !KEY.test(key));
  if (badKey !== undefined) return `${path} has '${badKey}', which is no key of a label`;
  const values = [...labels.map(([, value]) => value), ...expressions.flatMap((one) => one.values ?? [])];
  const badValue = values.find((value) => !VALUE.test(value));
  if (badValue !== undefined) return `${path} has '${badValue}', which is no value of a label`;
  return expressions.map(problemOfExpression(path)).find((problem) => problem !== undefined);
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

const TAKES_VALUES: ReadonlyMap<string, boolean> = new Map<Expression['operator'], boolean>([
  ['In', true],
  ['NotIn', true],
  ['Exists', false],
  ['DoesNotExist', false],
]);

function problemOfExpression(path: string) {
  return ({ operator, values = [] }: Expression, index: number): string | undefined => {
    const takesValues = TAKES_VALUES.get(operator);
    const where = `${path}.matchExpressions.${index}`;
    if (takesValues === undefined) {
      return `${where}.operator is '${operator}', which is none of In, NotIn, Exists and DoesNotExist`;
    }
    if (takesValues === values.length > 0) return undefined;
    return `${where}.values ${takesValues ? 'is empty, and In and NotIn need some' : 'has some, and Exists and DoesNotExist take none'}`;
  };
}
