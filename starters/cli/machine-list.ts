import type { MachineObject } from '../../k8s/api/machine.ts';
import { isNotFound } from '../../k8s/kube-error.ts';
import { MACHINES } from '../../k8s/resources.ts';
import { attempt, CliError } from './cli-error.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { machineRows, renderTable } from './machine-table.ts';
import { printStructure } from './print-structure.ts';

/** `millwright machine list`. */
export async function listMachines(options: GlobalOptions & { readonly allNamespaces?: boolean }): Promise<void> {
  const access = openKube(options);
  const namespace = options.allNamespaces === true ? undefined : access.namespace;
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const { items } = await attempt(`list the machines of ${where}`, () =>
    access.kube
      .list<MachineObject>(MACHINES, namespace === undefined ? {} : { namespace })
      .catch((error: unknown) => Promise.reject(isNotFound(error) ? notInstalled() : error)),
  );
  const { output } = options;
  if (output === 'json' || output === 'yaml') {
    printStructure({ apiVersion: 'v1', kind: 'List', items }, output);
  } else if (items.length === 0) {
    console.error(`No machines found in ${where}.`);
  } else {
    const rows = machineRows(items, {
      now: Date.now(),
      isWide: output === 'wide',
      withNamespace: namespace === undefined,
    });
    console.log(renderTable(rows));
  }
}

function notInstalled(): CliError {
  return new CliError('the cluster does not know Machines of machine.openshift.io: run `millwright install` first');
}
