// SPDX-License-Identifier: Apache-2.0
// What kairosdb_clients_test.py does with KairosDB's own Java client: KairosClient VERB HTTP-PORT TELNET-PORT T0 [NAME].
// What the client read out of the answers goes to the standard output as one JSON value; the test knows what it has to be.

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.kairosdb.client.HttpClient;
import org.kairosdb.client.TelnetClient;
import org.kairosdb.client.builder.Aggregator;
import org.kairosdb.client.builder.AggregatorFactory;
import org.kairosdb.client.builder.DataPoint;
import org.kairosdb.client.builder.Metric;
import org.kairosdb.client.builder.MetricBuilder;
import org.kairosdb.client.builder.QueryBuilder;
import org.kairosdb.client.builder.QueryMetric;
import org.kairosdb.client.builder.QueryTagBuilder;
import org.kairosdb.client.builder.RelativeTime;
import org.kairosdb.client.builder.RollupBuilder;
import org.kairosdb.client.builder.RollupTask;
import org.kairosdb.client.builder.TimeUnit;
import org.kairosdb.client.builder.aggregator.SamplingAggregator;
import org.kairosdb.client.builder.grouper.BinGrouper;
import org.kairosdb.client.builder.grouper.CustomGrouper;
import org.kairosdb.client.builder.grouper.TagGrouper;
import org.kairosdb.client.builder.grouper.TimeGrouper;
import org.kairosdb.client.builder.grouper.ValueGrouper;
import org.kairosdb.client.response.GroupResult;
import org.kairosdb.client.response.QueryResponse;
import org.kairosdb.client.response.QueryResult;
import org.kairosdb.client.response.Result;
import org.kairosdb.client.response.UnexpectedResponseException;

public class KairosClient {
    static final int STEPS = 12, STEP_MS = 10_000;
    static final Gson GSON = new GsonBuilder().serializeNulls().create();
    static HttpClient client;
    static int telnetPort;
    static long t0;

    public static void main(String[] words) throws Exception {
        client = new HttpClient("http://127.0.0.1:" + words[1]);
        telnetPort = Integer.parseInt(words[2]);
        t0 = Long.parseLong(words[3]);
        String name = words.length > 4 ? words[4] : null;
        Object out;
        switch (words[0]) {
            case "put": out = put(); break;
            case "telnet": out = telnet(); break;
            case "server": out = server(); break;
            case "values": out = values(); break;
            case "aggregators": out = aggregators(); break;
            case "groups": out = groups(); break;
            case "tags": out = tags(); break;
            case "delete": out = delete(); break;
            case "wrong": out = wrong(); break;
            case "rollup": out = rollup(); break;
            case "rollup-delete": out = deleteRollup(name); break;
            default: throw new IllegalArgumentException(words[0]);
        }
        System.out.println(GSON.toJson(out));
        client.close();
    }

    // --- writing

    static Metric squares(Metric metric) {
        for (int i = 0; i < STEPS; i++) metric.addDataPoint(t0 + i * STEP_MS, (long) i * i);
        return metric;
    }

    static Metric halves(Metric metric) {
        for (int i = 0; i < STEPS; i++) metric.addDataPoint(t0 + i * STEP_MS, 0.5 * i);
        return metric;
    }

    static Object put() {
        for (boolean compressed : new boolean[] {false, true}) {
            String prefix = compressed ? "zipped." : "java.";
            MetricBuilder builder = MetricBuilder.getInstance();
            builder.setCompression(compressed);
            squares(builder.addMetric(prefix + "load").addTag("host", "a").addTag("dc", "x").addTtl(3600));
            halves(builder.addMetric(prefix + "load").addTag("host", "b").addTag("dc", "x"));
            builder.addMetric(prefix + "state", "string").addTag("host", "a").addDataPoint(t0, "up \u00e9")
                .addDataPoint(t0 + 1, "down");
            client.pushMetrics(builder);
        }
        return "put";
    }

    /** `put` of milliseconds, and `putm`. */
    static Object telnet() throws Exception {
        TelnetClient telnet = new TelnetClient("127.0.0.1", telnetPort);
        MetricBuilder builder = MetricBuilder.getInstance();
        squares(builder.addMetric("telnet.push").addTag("host", "a").addTag("dc", "x"));
        telnet.pushMetrics(builder);
        builder = MetricBuilder.getInstance();
        halves(builder.addMetric("telnet.put").addTag("host", "a"));
        telnet.putMetrics(builder);
        telnet.shutdown();
        return "sent";
    }

    // --- reading

    static QueryBuilder query(String... metrics) {
        QueryBuilder builder = QueryBuilder.getInstance();
        builder.setStart(new Date(t0)).setEnd(new Date(t0 + STEPS * STEP_MS));
        for (String metric : metrics) builder.addMetric(metric);
        return builder;
    }

    static Object plain(QueryResponse response) {
        List<Object> queries = new ArrayList<>();
        for (QueryResult one : response.getQueries()) {
            List<Object> results = new ArrayList<>();
            for (Result result : one.getResults()) {
                List<Object> points = new ArrayList<>(), groups = new ArrayList<>();
                for (DataPoint point : result.getDataPoints()) {
                    List<Object> pair = new ArrayList<>();
                    pair.add(point.getTimestamp());
                    pair.add(point.getValue());
                    points.add(pair);
                }
                for (GroupResult group : result.getGroupResults()) groups.add(GSON.toJsonTree(group));
                Map<String, Object> out = new LinkedHashMap<>();
                out.put("name", result.getName());
                out.put("tags", result.getTags());
                out.put("groups", groups);
                out.put("points", points);
                results.add(out);
            }
            Map<String, Object> out = new LinkedHashMap<>();
            out.put("size", one.getSampleSize());
            out.put("results", results);
            queries.add(out);
        }
        return queries;
    }

    static Object server() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("version", client.getVersion());
        out.put("status", client.getStatus());
        out.put("check", client.getStatusCheck());
        out.put("names", client.getMetricNames());
        return out;
    }

    static Object values() {
        QueryBuilder builder = query("java.load", "java.state", "java.none", "zipped.load", "zipped.state");
        builder.setCacheTime(1);
        QueryMetric some = builder.addMetric("java.load");
        some.addTag("host", "b", "c");
        some.setLimit(3);
        QueryMetric descending = builder.addMetric("java.load");
        descending.addTag("host", "a");
        descending.setOrder(QueryMetric.Order.DESCENDING);
        return plain(client.query(builder));
    }

    /** Each that the factory makes, over one series. */
    static Object aggregators() {
        TimeUnit minutes = TimeUnit.MINUTES;
        Map<String, Aggregator> all = new LinkedHashMap<>();
        for (SamplingAggregator range : new SamplingAggregator[] {
                AggregatorFactory.createMinAggregator(1, minutes), AggregatorFactory.createMaxAggregator(1, minutes),
                AggregatorFactory.createAverageAggregator(1, minutes),
                AggregatorFactory.createStandardDeviationAggregator(1, minutes),
                AggregatorFactory.createSumAggregator(1, minutes), AggregatorFactory.createCountAggregator(1, minutes),
                AggregatorFactory.createPercentileAggregator(0.5, 1, minutes),
                AggregatorFactory.createFirstAggregator(1, minutes), AggregatorFactory.createLastAggregator(1, minutes)})
            all.put(range.getName(), range.withStartTimeAlignment());
        all.put("sum at the end", AggregatorFactory.createSumAggregator(1, minutes).withEndTimeAlignment());
        all.put("sum of hours", AggregatorFactory.createSumAggregator(1, TimeUnit.HOURS).withSamplingAlignment());
        all.put("sum of months", AggregatorFactory.createSumAggregator(1, TimeUnit.MONTHS).withAlignment(true, true));
        all.put("gaps", AggregatorFactory.createDataGapsMarkingAggregator(10, TimeUnit.SECONDS));
        all.put("least_squares", AggregatorFactory.createLeastSquaresAggregator(1, minutes));
        all.put("div", AggregatorFactory.createDivAggregator(2));
        all.put("scale", AggregatorFactory.createScaleAggregator(3));
        all.put("diff", AggregatorFactory.createDiffAggregator());
        all.put("sampler", AggregatorFactory.createSamplerAggregator());
        all.put("sma", AggregatorFactory.createSimpleMovingAverage(3));
        all.put("rate", AggregatorFactory.createRateAggregator(TimeUnit.SECONDS));
        all.put("trim", AggregatorFactory.createTrimAggregator(AggregatorFactory.Trim.BOTH));
        all.put("filter", AggregatorFactory.createFilterAggregator(AggregatorFactory.FilterOperation.LTE, 16));
        all.put("save_as", AggregatorFactory.createSaveAsAggregator("java.saved"));
        all.put("custom", AggregatorFactory.createCustomAggregator("avg",
            "\"sampling\":{\"value\":\"2\",\"unit\":\"minutes\"},\"align_start_time\":true"));
        QueryBuilder builder = query().setTimeZone(TimeZone.getTimeZone("America/New_York"));
        for (Aggregator one : all.values()) {
            QueryMetric metric = builder.addMetric("java.load");
            metric.addTag("host", "a");
            metric.addAggregator(one);
        }
        QueryMetric chain = builder.addMetric("java.load");
        chain.addAggregator(AggregatorFactory.createSumAggregator(1, minutes).withStartTimeAlignment());
        chain.addAggregator(AggregatorFactory.createDivAggregator(2));
        Map<String, Object> out = new LinkedHashMap<>();
        List<?> answers = (List<?>) plain(client.query(builder));
        int at = 0;
        for (String name : all.keySet()) out.put(name, answers.get(at++));
        out.put("chain", answers.get(at));
        return out;
    }

    static Object groups() {
        QueryBuilder builder = query();
        builder.addMetric("java.load").addGrouper(new TagGrouper("host", "dc", "none"));
        builder.addMetric("java.load").addGrouper(new TimeGrouper(new RelativeTime(1, TimeUnit.MINUTES), 3));
        builder.addMetric("java.load").addGrouper(new ValueGrouper(50));
        builder.addMetric("java.load").addGrouper(new BinGrouper(10.0, 100.0));
        builder.addMetric("java.load").addGrouper(new CustomGrouper("value", "\"range_size\":100"));
        QueryMetric both = builder.addMetric("java.load");
        both.addGrouper(new TagGrouper("host"));
        both.addGrouper(new BinGrouper(5.0));
        both.addAggregator(AggregatorFactory.createCountAggregator(1, TimeUnit.HOURS));
        return plain(client.query(builder));
    }

    static Object tags() {
        QueryTagBuilder builder = QueryTagBuilder.getInstance();
        builder.setStart(new Date(t0)).setEnd(new Date(t0 + STEPS * STEP_MS));
        builder.addMetric("java.load");
        builder.addMetric("java.load").addTag("host", "b");
        builder.addMetric("java.none");
        return client.queryTags(builder).getQueries();
    }

    // --- errors, deletes, roll-ups

    static Object wrong() {
        QueryBuilder builder = query();
        builder.addMetric("java.load").addAggregator(AggregatorFactory.createCustomAggregator("bogus", "\"x\":1"));
        try {
            client.query(builder);
        } catch (UnexpectedResponseException refused) {
            return List.of(refused.getStatusCode(), refused.getMessage());
        }
        return "answered";
    }

    static Object delete() {
        QueryBuilder builder = query();
        builder.addMetric("java.load").addTag("host", "b");
        client.delete(builder);
        client.deleteMetric("zipped.load");
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("names", client.getMetricNames());
        out.put("left", plain(client.query(query("java.load", "zipped.load"))));
        return out;
    }

    static Map<String, Object> plain(RollupTask task) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("id", task.getId());
        out.put("name", task.getName());
        out.put("interval", task.getExecutionInterval().getValue() + " " + task.getExecutionInterval().getUnit());
        out.put("save_as", task.getRollups().get(0).getSaveAs());
        out.put("metric", task.getRollups().get(0).getMetrics().get(0).getName());
        out.put("aggregator", task.getRollups().get(0).getMetrics().get(0).getAggregators().get(0).getName());
        return out;
    }

    static Object rollup() {
        RollupBuilder builder = RollupBuilder.getInstance("Sums", new RelativeTime(1, TimeUnit.SECONDS));
        QueryBuilder query = builder.addRollup("java.sums").addQuery();
        query.setStart(new Date(t0));
        query.addMetric("java.load").addTag("host", "a")
            .addAggregator(AggregatorFactory.createSumAggregator(1, TimeUnit.MINUTES).withStartTimeAlignment());
        Map<String, Object> out = new LinkedHashMap<>();
        List<RollupTask> before = client.getRollupTasks();
        RollupTask made = client.createRollupTask(builder);
        out.put("before", before.size());
        out.put("made", List.of(made.getId(), made.getName()));
        out.put("one", plain(client.getRollupTask(made.getId())));
        List<Object> listed = new ArrayList<>();
        for (RollupTask task : client.getRollupTasks()) listed.add(plain(task));
        out.put("listed", listed);
        return out;
    }

    static Object deleteRollup(String id) {
        client.deleteRollupTask(id);
        return client.getRollupTasks().size();
    }
}
