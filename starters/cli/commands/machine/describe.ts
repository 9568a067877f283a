import { EVENTS } from '../../../../k8s/resources.ts';
import { reasonOf } from '../../cli-error.ts';
import { explain } from '../../explanation/explanation.ts';
import { findObject } from '../../access/find-object.ts';
import { headlineOf } from '../../explanation/headline.ts';
import { openKube } from '../../access/kube-access.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { reportMachine, type ExplainOptions } from './explain.ts';
import { renderDescription, type EventObject } from './render-description.ts';

/** `millwright machine describe NAME`: everything that is known of a machine, at a glance. */
export async function describeMachine(name: string, options: ExplainOptions): Promise<void> {
  const access = openKube(options);
  const { kube, namespace } = access;
  const { read, stored } = await findObject(access, 'machine', name);
  const { ref } = read.machine;
  const [events, workflow] = await Promise.all([
    // Without them the rest is worth reading still.
    kube
      .list<EventObject>(EVENTS, { namespace, fieldSelector: `involvedObject.uid=${ref.uid}` })
      .then(({ items }) => inOrder(items))
      .catch((error: unknown) => `could not be read: ${reasonOf(error)}`),
    reportMachine(ref, options),
  ]);
  const now = Date.now();
  const summary = headlineOf(explain(read), workflow, now);
  const { output } = options;
  if (isStructure(output)) printStructure({ summary, machine: stored, events, workflow }, output);
  else console.log(renderDescription({ summary, read, events, workflow }, now));
}

function inOrder(events: EventObject[]): EventObject[] {
  return events.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
}

function timeOf({ lastTimestamp, metadata }: EventObject): string {
  return lastTimestamp ?? metadata.creationTimestamp;
}
