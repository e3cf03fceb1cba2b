package dev.telar.movies;

import java.util.List;
import org.bson.codecs.Codec;
import org.bson.codecs.configuration.CodecProvider;
import org.bson.codecs.configuration.CodecRegistry;
import org.bson.codecs.pojo.ClassModelBuilder;
import org.bson.codecs.pojo.Convention;
import org.bson.codecs.pojo.Conventions;
import org.bson.codecs.pojo.PojoCodecProvider;
import org.bson.codecs.pojo.PropertyModelBuilder;

/**
 * Stores every field of a movie: by default the driver leaves nulls out. Quarkus finds this class
 * by its type.
 */
public class MovieCodecProvider implements CodecProvider {

    private final CodecProvider movies =
            PojoCodecProvider.builder()
                    .conventions(
                            List.of(
                                    Conventions.CLASS_AND_PROPERTY_CONVENTION,
                                    Conventions.OBJECT_ID_GENERATORS,
                                    new NullsAreStored()))
                    .register(Movie.class)
                    .build();

    @Override
    public <T> Codec<T> get(Class<T> type, CodecRegistry registry) {
        return movies.get(type, registry);
    }

    private static final class NullsAreStored implements Convention {

        @Override
        public void apply(ClassModelBuilder<?> movie) {
            movie.getPropertyModelBuilders().forEach(NullsAreStored::store);
        }

        private static <T> void store(PropertyModelBuilder<T> property) {
            property.propertySerialization(value -> true);
        }
    }
}
