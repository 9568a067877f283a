import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..', '..', '..');
export const ALERTS_FILE = join(root, 'deploy', 'alerts', 'millwright.yaml');
export const ALERTS_TEST_FILE = join(root, 'deploy', 'alerts', 'millwright.test.yaml');
const DASHBOARD_FILE = join(root, 'deploy', 'dashboards', 'millwright.json');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export async function readAlerts(): Promise<Alert[]> {
  const file = parse(await readFile(ALERTS_FILE, 'utf8')) as { groups: { rules: Alert[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

export async function readPanels(): Promise<Panel[]> {
  return (JSON.parse(await readFile(DASHBOARD_FILE, 'utf8')) as { panels: Panel[] }).panels;
}

/** The queries of a panel as Grafana sends them. */
export function queriesOf({ targets = [] }: Panel): string[] {
  return targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
}

/** What a query selects, each on its own: a metric by name, with its labels. */
export function selectorsOf(query: string): string[] {
  return [...query.matchAll(/\b(?:mapi|mcm|millwright|temporal|process|nodejs)_\w+(?:\{[^}]*\})?/g)].map(
    ([found]) => found,
  );
}

/** The labels that a query groups by or takes along. */
export function groupingsOf(query: string): string[] {
  return [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(',').map((l) => l.trim()));
}
