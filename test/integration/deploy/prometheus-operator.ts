import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { waitUntilEstablished } from '../../../k8s/install/wait-in-force.ts';
import { systemClock } from '../../../providers/clock.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';

/** Its module holds the definitions; 4 MB, kept in Go's own cache. */
const MODULE = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const KINDS = ['servicemonitors', 'podmonitors', 'prometheusrules'] as const;

/** Brings the definitions of the Prometheus operator that the chart has objects of. Answers what takes them away. */
export async function bringPrometheusOperator(): Promise<() => Promise<void>> {
  const { kube } = getStack();
  const { code, stdout, output } = await runCommand('go', ['mod', 'download', '-json', MODULE], { cwd: tmpdir() });
  if (code !== 0) throw new Error(`go mod download ${MODULE} failed with exit code ${code}: ${output}`);
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
  const names = KINDS.map((kind) => `${kind}.monitoring.coreos.com`);
  for (const kind of KINDS) {
    const path = join(folder, 'example', 'prometheus-operator-crd', `monitoring.coreos.com_${kind}.yaml`);
    const definition = parse(await readFile(path, 'utf8')) as object;
    await kube.apply(CUSTOM_RESOURCE_DEFINITIONS, undefined, `${kind}.monitoring.coreos.com`, definition, {
      fieldManager: 'test',
    });
  }
  for (const name of names) await waitUntilEstablished(kube, name, { clock: systemClock, timeoutMs: 30_000 });
  return async () => {
    for (const name of names) await kube.delete(CUSTOM_RESOURCE_DEFINITIONS, undefined, name);
  };
}
