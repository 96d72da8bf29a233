// The members of a group with the highest and the lowest values of a measure in one bucket.
import { headText } from "./figures";
import { numberText } from "./number";
import { Notice, href } from "./parts";
import { usePolled } from "./polled";
import { membersCommand, membersQuery, orders, placesText, shortened } from "./ranks";
import type { Members as Ranks, Order } from "./ranks";
import { bucketText } from "./time";
import { url, type Readable, type Rollup } from "./api";

interface Props {
  place: [subjects: string, id: string];
  kind: Readable;
  members: string; // the path of the type of its members
  stream: string;
  measure: string;
  bucket: Rollup;
  utc: boolean;
}

/** Members shows both lists of a bucket, and the command that prints them. */
export function Members(props: Props) {
  const { place, stream, measure, bucket, utc } = props;
  return (
    <section aria-label="Members">
      <h2>
        Members, {bucketText(bucket, utc)}
      </h2>
      <div class="pair">
        {orders.map((order) => (
          <List key={order.title} order={order} {...props} />
        ))}
      </div>
      <details class="take">
        <summary>as a command</summary>
        <code>{membersCommand(place.join("/"), measure, bucket, stream)}</code>
      </details>
    </section>
  );
}

function List({ place, kind, members, stream, measure, bucket, order }: Props & { order: Order }) {
  const { data, problem } = usePolled<Ranks>(
    url([...place, kind.path, "members", measure], membersQuery(bucket, order, stream)),
    15_000,
  );
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={`${order.title} members`}>
      <Notice problem={problem} waiting={!data} />
      {!!data?.members?.length && (
        <table>
          <thead>
            <tr>
              <th scope="col">{order.title}</th>
              <th scope="col">{headText(measure, kind.units?.[measure])}</th>
            </tr>
          </thead>
          <tbody>
            {data.members.map(({ member, value }) => (
              <tr key={member}>
                <th scope="row">
                  <Member id={member} subjects={members} kind={kind} stream={stream} />
                </th>
                <td class="number">{numberText(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.members?.length === 0 && <p class="empty">No member has a value.</p>}
      {data && placesText(data) && <p class="note">{placesText(data)}</p>}
      {data && !data.exact && <p class="note">Not exact: a change may be missing.</p>}
    </div>
  );
}

interface MemberProps {
  id: string;
  subjects: string;
  kind: Readable;
  stream: string;
}

/** Member links to the series of a member that counts in the group. */
function Member({ id, subjects, kind, stream }: MemberProps) {
  if (shortened(id)) return <bdi title="The id is too long for the list">{id}</bdi>;
  return (
    <a href={href([subjects, id], { kind: kind.groupsOf!, stream })}>
      <bdi>{id}</bdi>
    </a>
  );
}
