import { describe, expect, test } from '@jest/globals';
import type { MachineClassObject } from '../k8s/api/machine.openshift.io/machine-class.ts';
import { APIS } from '../k8s/dialects/registry.ts';
import { openshift } from '../k8s/dialects/openshift/api.ts';
import { MACHINE_CLASS_FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import { MACHINE_CLASSES } from '../k8s/dialects/openshift/resources.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { MADE_AT } from '../test/world/builders/metadata.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import type { GivenObject } from '../test/world/kubernetes/registry.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { createHoldMachineClass } from './hold-machine-class.ts';

const PLACE = { namespace: 'ns' };
const STORED = aMachineClass({ metadata: PLACE });
const CLASS = openshift.machineClass.read(STORED).machineClass;
const SPEC: MachineSpec = {
  providerSpec: {},
  fields: openshift.machine,
  nodeLabels: {},
  nodeAnnotations: {},
  nodeTaints: [],
  startupTaints: [],
};
const LEAVING = { ...PLACE, deletionTimestamp: MADE_AT, finalizers: ['example.com/other', MACHINE_CLASS_FINALIZER] };

/** Kubernetes with these objects. */
function world(objects: readonly GivenObject[] = []) {
  const server = new ApiServer({ garbage: 'when told' });
  server.put(...objects);
  const { version } = server.store;
  const writes: string[] = [];
  server.onRequest = before({ verb: 'apply' }, ({ resource, name }) => {
    writes.push(`${resource.kind} ${name}`);
  });
  const classNamed = (name: string) => server.peek(MACHINE_CLASSES, 'ns', name) as MachineClassObject | undefined;
  return {
    hold: createHoldMachineClass({ kube: server.client, apis: APIS }),
    /** The kind and the name of what was written, once for each request. */
    writes,
    isUntouched: () => server.store.version === version,
    finalizers: (name: string) => classNamed(name)?.metadata.finalizers,
  };
}

const leaving = (name: string) => aMachineClass({ name, metadata: LEAVING });

describe('a launch that is prepared from a class', () => {
  test('holds the class by its uid before anything else, once', async () => {
    const { hold, writes, finalizers } = world([STORED]);
    expect(await hold({ ...SPEC, machineClass: CLASS })).toBeUndefined();
    expect(finalizers('medium')).toEqual([MACHINE_CLASS_FINALIZER]);
    await hold({ ...SPEC, machineClass: { ...CLASS, hasFinalizer: true } });
    await hold(SPEC);
    expect(writes).toHaveLength(1);
  });

  test('shares one write with all that are prepared at the same time', async () => {
    const { hold, writes } = world([STORED]);
    await Promise.all([1, 2, 3].map(() => hold({ ...SPEC, machineClass: CLASS })));
    expect(writes).toHaveLength(1);
  });

  test('waits where the class is being deleted, also where it is held', async () => {
    const { hold, isUntouched } = world([leaving('medium')]);
    const { machineClass } = openshift.machineClass.read(leaving('medium'));
    expect(await hold({ ...SPEC, machineClass })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassDeleting',
      message:
        'providerSpec.valueFrom.machineClass.name: MachineClass ns/medium is being deleted: nothing more is launched from it',
    });
    expect(isUntouched()).toBe(true);
  });

  test('waits where there is no spec, and says why', async () => {
    const problem = { reason: 'MachineClassMissing', field: 'f', message: 'MachineClass ns/x does not exist' } as const;
    expect(await world().hold({ ...SPEC, problem })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassMissing',
      message: 'f: MachineClass ns/x does not exist',
    });
  });

  test.each<[string, GivenObject[]]>([
    ['is gone', []],
    ['is another one', [aMachineClass({ metadata: { ...PLACE, uid: 'another' } })]],
    ['is being deleted', [aMachineClass({ metadata: { ...LEAVING, finalizers: ['example.com/other'] } })]],
  ])('looks again where the class %s by now', async (_how, objects) => {
    const { hold, isUntouched } = world(objects);
    await expect(hold({ ...SPEC, machineClass: CLASS })).rejects.toMatchObject({
      type: 'ObjectChanged',
    });
    expect(isUntouched()).toBe(true);
  });
});
