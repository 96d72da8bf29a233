# Writes the Parquet files of this folder, with pyarrow 26.0.1: python make.py FOLDER
import pyarrow as pa, pyarrow.parquet as pq, datetime as dt, decimal as d, uuid, sys
D=d.Decimal
t=[dt.datetime(2026,11,1,10,0,0,500000,tzinfo=dt.timezone.utc), dt.datetime(2026,11,1,10,0,1,tzinfo=dt.timezone.utc)]
cols={
 'device': pa.array(['pq1','pq1']),
 'time': pa.array(t, pa.timestamp('us','UTC')),
 'flba': pa.array([D('21.50'),D('-0.05')], pa.decimal128(9,2)),
 'wide': pa.array([D('12345678901234567890.12345'),D('-1.00001')], pa.decimal128(38,5)),
 'half': pa.array([1.5,-0.25], pa.float32()).cast(pa.float16()),
 'u8': pa.array([255,0], pa.uint8()), 'u16': pa.array([65535,0], pa.uint16()), 'u32': pa.array([4294967295,0], pa.uint32()),
 'u64': pa.array([18446744073709551615,0], pa.uint64()), 'i8': pa.array([-128,127], pa.int8()),
 'day': pa.array([dt.date(2026,11,1),dt.date(1969,12,31)]),
 'clock': pa.array([dt.time(10,0,0,500000),dt.time(0,0,1)], pa.time64('us')), 'clock32': pa.array([dt.time(10,0,0),dt.time(0,0,1)], pa.time32('ms')),
 'code': pa.array(['007','1.10']), 'sci': pa.array(['1e5','5']), 'ok': pa.array([True,False]),
 'f64': pa.array([21.5,1e-7]), 'f32': pa.array([0.1,None], pa.float32()),
 'bin': pa.array([b'\xff\x00',b'abc'], pa.binary()), 'other': pa.array(t, pa.timestamp('ns')),
 'list': pa.array([[1,2],[3]]), 'group': pa.array([{'a':1},{'a':2}]),
}
pq.write_table(pa.table(cols), sys.argv[1]+'/types.parquet')
pq.write_table(pa.table({'device':cols['device'],'time':cols['time'],'flba':cols['flba']}), sys.argv[1]+'/decimal_int.parquet', store_decimal_as_integer=True)
naive=[x.replace(tzinfo=None) for x in t]
pq.write_table(pa.table({'device':cols['device'],'time':pa.array(naive, pa.timestamp('ns')),'value':pa.array([1,2])}), sys.argv[1]+'/int96.parquet', use_deprecated_int96_timestamps=True)
pq.write_table(pa.table({'device':cols['device'],'time':pa.array(naive, pa.timestamp('us')),'value':pa.array([1,2])}), sys.argv[1]+'/local.parquet')
pq.write_table(pa.table({'device':cols['device'],'time':cols['day'].slice(0,1).take(pa.array([0,0])),'value':pa.array([1,2])}), sys.argv[1]+'/date.parquet')
pq.write_table(pa.table({'device':cols['device'],'time':pa.array([1793523600.5,1793523601.25]),'value':pa.array([1,2])}), sys.argv[1]+'/epoch.parquet')
pq.write_table(pa.table({'device':cols['device'],'time':cols['time'],'value':pa.array([1,2])}).slice(0,0), sys.argv[1]+'/empty.parquet')
pq.write_table(pa.table({'device':cols['device'],'time':cols['time'],'flba':cols['flba']}), sys.argv[1]+'/old.parquet', version='1.0')
big=pa.array([D('123456789012345678901234567890123456789012.5'),D('-0.5')], pa.decimal256(60,1))
pq.write_table(pa.table({'device':cols['device'],'Date':pa.array([dt.date(2026,11,1)]*2),'Time':cols['clock'],'value':big,'level':pa.array([1.5,float('inf')])}), sys.argv[1]+'/day_and_clock.parquet')
late=pa.array([None]*1001+t[:1], pa.timestamp('us','UTC'))
pq.write_table(pa.table({'device':pa.array(['pq1']*1002),'time':late,'value':pa.array([1]*1002)}), sys.argv[1]+'/late.parquet')
